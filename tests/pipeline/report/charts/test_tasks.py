from dataclasses import replace

import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from components.model_figures.figures import Histogram
from pipeline.report.charts import tasks

BINARY = figures.model_figures("binary", served=True).binary
MULTICLASS = figures.model_figures("multiclass", served=False).multiclass
REGRESSION = figures.model_figures("regression", served=False).regression


def test_a_binary_model_has_four_charts() -> None:
    assert BINARY is not None
    charts = list(tasks.binary_charts(BINARY))
    assert [chart.title for chart in charts] == [
        "ROC curve", "Precision and recall", "Calibration", "Predicted probability by class",
    ]  # fmt: skip
    for chart in charts:
        compile_chart(chart)


def test_scores_are_shares_of_each_class() -> None:
    chart = tasks.score_chart(Histogram((0.0, 0.5, 1.0), {"no": (3, 1), "yes": (0, 0)}))
    assert [(row[2], row[3]) for row in chart.rows] == [
        (0.75, "no"), (0.25, "no"), (0.0, "yes"), (0.0, "yes"),
    ]  # fmt: skip


def test_the_confusion_matrix_is_drawn_in_shares_of_the_class() -> None:
    assert MULTICLASS is not None
    small = replace(MULTICLASS, confusion_classes=("a", "b"), confusion=((3, 1), (0, 4)))
    chart = tasks.confusion_chart(small)
    compile_chart(chart)
    assert chart.rows[1] == ("a", "b", 0.25, 1)
    assert "7 of 8 rows are on the diagonal" in chart.summary
    assert len(chart.spec["layer"]) == 2
    big = tasks.confusion_chart(MULTICLASS)
    compile_chart(big)
    assert "layer" not in big.spec


def test_the_worst_classes_have_curves_against_the_rest() -> None:
    assert MULTICLASS is not None
    chart = tasks.rest_chart(MULTICLASS)
    assert chart is not None
    compile_chart(chart)
    assert len({row[2] for row in chart.rows}) == 10
    classes = tuple(replace(c, roc=None) for c in MULTICLASS.classes)
    assert tasks.rest_chart(replace(MULTICLASS, classes=classes)) is None


def test_a_regression_has_three_charts() -> None:
    assert REGRESSION is not None
    residuals, agreement, deciles = tasks.regression_charts(REGRESSION)
    for chart in (residuals, agreement, deciles):
        compile_chart(chart)
    assert sum(int(row[2] or 0) for row in residuals.rows) <= 3000
    assert all(row[4] for row in agreement.rows)
    assert len(deciles.rows) == 10


def test_hostile_classes_are_in_no_specification() -> None:
    model = figures.hostile_model(examples.HOSTILE)
    assert model.binary is not None
    assert model.multiclass is not None
    charts = [*tasks.binary_charts(model.binary), tasks.confusion_chart(model.multiclass)]
    for chart in charts:
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)
