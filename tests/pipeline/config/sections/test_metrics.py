"""The metrics that a threshold can name."""

from pipeline.config.sections.metrics import METRICS, metric_name


def test_the_metric_of_one_class_names_the_class_in_brackets() -> None:
    assert metric_name("f1", "Adelie") == "f1[Adelie]"
    assert metric_name("f1") == "f1"


def test_every_metric_has_a_task_and_a_range() -> None:
    for name, metric in METRICS.items():
        assert metric.tasks, name
        assert metric.low < metric.high, name
