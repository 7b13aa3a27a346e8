from dataclasses import replace

import example_figures as figures
import example_reports as examples
from compiled_chart import compile_chart, texts_of

from pipeline.report.charts import multiclass

MULTICLASS = figures.model_figures("multiclass", served=False).multiclass


def test_the_confusion_matrix_is_drawn_in_shares_of_the_class() -> None:
    assert MULTICLASS is not None
    small = replace(MULTICLASS, confusion_classes=("a", "b"), confusion=((3, 1), (0, 4)))
    chart = multiclass.confusion_chart(small)
    compile_chart(chart)
    assert chart.rows[1] == ("a", "b", 0.25, 1)
    assert "7 of 8 rows are on the diagonal" in chart.summary
    assert len(chart.spec["layer"]) == 2
    big = multiclass.confusion_chart(MULTICLASS)
    compile_chart(big)
    assert "layer" not in big.spec


def test_the_worst_classes_have_curves_against_the_rest() -> None:
    assert MULTICLASS is not None
    chart = multiclass.rest_chart(MULTICLASS)
    assert chart is not None
    compile_chart(chart)
    assert len({row[2] for row in chart.rows}) == 10
    classes = tuple(replace(c, roc=None) for c in MULTICLASS.classes)
    assert multiclass.rest_chart(replace(MULTICLASS, classes=classes)) is None


def test_hostile_classes_are_in_no_specification() -> None:
    model = figures.hostile_model(examples.HOSTILE)
    assert model.multiclass is not None
    for chart in [multiclass.confusion_chart(model.multiclass)]:
        compile_chart(chart)
        assert "__pwned" not in texts_of(chart.spec)
