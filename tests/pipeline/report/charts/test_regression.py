import example_figures as figures
from compiled_chart import compile_chart

from pipeline.report.charts import regression

REGRESSION = figures.model_figures("regression", served=False).regression


def test_a_regression_has_three_charts() -> None:
    assert REGRESSION is not None
    residuals, agreement, deciles = regression.regression_charts(REGRESSION)
    for chart in (residuals, agreement, deciles):
        compile_chart(chart)
    assert sum(int(row[2] or 0) for row in residuals.rows) <= 3000
    assert all(row[4] for row in agreement.rows)
    assert len(deciles.rows) == 10
