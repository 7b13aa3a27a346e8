import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from components.model_figures.figures import Histogram
from pipeline.report.charts import binary

BINARY = figures.model_figures("binary", served=True).binary


def test_a_binary_model_has_four_charts() -> None:
    assert BINARY is not None
    charts = list(binary.binary_charts(BINARY))
    assert [chart.title for chart in charts] == [
        "ROC curve", "Precision and recall", "Calibration", "Predicted probability by class",
    ]  # fmt: skip
    for chart in charts:
        compile_chart(chart)


def test_scores_are_shares_of_each_class() -> None:
    chart = binary.score_chart(Histogram((0.0, 0.5, 1.0), {"no": (3, 1), "yes": (0, 0)}))
    assert [(row[2], row[3]) for row in chart.rows] == [
        (0.75, "no"), (0.25, "no"), (0.0, "yes"), (0.0, "yes"),
    ]  # fmt: skip


def test_hostile_classes_are_in_no_specification() -> None:
    model = figures.hostile_model(examples.HOSTILE)
    assert model.binary is not None
    for chart in binary.binary_charts(model.binary):
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)
