"""What the page says of the model's quality."""

from dataclasses import replace

import example_figures
import example_reports as examples
import pytest

from components.model_figures.figures import Estimate, MetricFigures, ThresholdRow, WrongRow
from pipeline.core.events import ExportResult
from pipeline.report import quality_facts
from pipeline.report.content import MetricRow, QualityPart, Report
from pipeline.report.page import render_page


def quality_of(report: Report) -> QualityPart:
    assert report.quality is not None
    return report.quality


def test_the_main_metric_has_a_threshold_and_is_not_the_number_of_rows() -> None:
    part = quality_of(examples.pushed())
    rows = MetricRow("examples", 3000.0, None, "", None)
    bound = replace(part.metrics[2], bound="at most 0.4")
    assert (
        quality_facts.main_metric(replace(part, metrics=(rows, part.metrics[1], bound)))
        == "log_loss"
    )
    assert quality_facts.main_metric(replace(part, metrics=(rows, part.metrics[1]))) == "accuracy"
    assert quality_facts.main_metric(QualityPart(None, (), (), None)) is None


def test_metrics_of_single_classes_stand_apart_unless_they_have_a_threshold() -> None:
    rows = (
        MetricRow("examples", 3000.0, None, "", None),
        MetricRow("accuracy", 0.8, None, "", None),
        MetricRow("f1[a]", 0.7, None, "", None),
        MetricRow("f1[b]", 0.7, None, "at least 0.5", True),
    )
    part = QualityPart(True, (), rows, None)
    assert [row.name for row, _ in quality_facts.metric_rows(part, False)] == ["accuracy", "f1[b]"]
    assert [row.name for row, _ in quality_facts.metric_rows(part, True)] == ["f1[a]"]


def test_a_metric_that_only_the_figures_have_is_shown() -> None:
    part = replace(quality_of(examples.pushed()), metrics=())
    rows = quality_facts.metric_rows(part, False)
    assert [row.name for row, _ in rows] == ["auc", "accuracy", "log_loss"]
    assert all(figure is not None for _, figure in rows)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.1, 0.1, "chance explains it"),
        (0.01, 0.1, "more than chance"),
        (-0.2, -0.1, "more than chance"),
        (None, 0.1, ""),
        (float("nan"), 0.1, ""),
    ],
)
def test_a_difference_is_chance_if_its_interval_holds_zero(
    low: float | None, high: float, words: str
) -> None:
    assert quality_facts.difference_words(Estimate(0.0, low, high)) == words


def test_slices_are_compared_by_a_metric_with_a_threshold() -> None:
    part = quality_of(examples.pushed())
    assert part.figures is not None
    assert quality_facts.slice_metrics(part.figures) == ["auc", "accuracy"]
    bound = replace(part, metrics=(MetricRow("accuracy", 0.8, None, "at least 0.5", True),))
    assert quality_facts.slice_metric(part, part.figures) == "auc"
    assert quality_facts.slice_metric(bound, part.figures) == "accuracy"
    assert quality_facts.slice_metric(part, replace(part.figures, slices=())) is None


def test_small_helpers_of_the_tables() -> None:
    figures = quality_of(examples.pushed()).figures
    assert figures is not None
    assert figures.binary is not None
    half = quality_facts.half(figures.binary.thresholds)
    assert half is not None
    assert half.threshold == 0.5
    assert quality_facts.half(()) is None
    assert quality_facts.ratio(1, 4) == 0.25
    assert quality_facts.ratio(1, 0) is None
    assert quality_facts.class_name(figures, 1) == "big"
    assert quality_facts.class_name(replace(figures, classes=()), 1) == "positive"
    assert quality_facts.cell_columns(figures.wrong_rows) == [
        "company",
        "trip_miles",
        "payment_type",
    ]
    assert quality_facts.by_name(figures.metrics)["auc"].name == "auc"


def test_exports_show_the_metrics_with_a_threshold() -> None:
    rows = (
        MetricRow("accuracy", 0.8, None, "", None),
        MetricRow("auc", 0.9, None, "at least 0.5", True),
    )
    onnx = ExportResult("onnx", "export", True, metrics={"accuracy": 0.8, "auc": 0.9})
    part = QualityPart(True, (), rows, None, exports=(onnx,))
    assert quality_facts.export_metrics(part) == ["auc"]
    assert quality_facts.export_metrics(replace(part, metrics=rows[:1])) == ["accuracy"]


def test_the_time_of_a_call_is_in_milliseconds() -> None:
    onnx = ExportResult("onnx", "export", True, milliseconds={"1": 0.0123})
    assert quality_facts.milliseconds_words(onnx, 1) == "0.0123 ms"
    assert quality_facts.milliseconds_words(onnx, 1024) == "–"


@pytest.mark.parametrize(
    ("accuracy", "auc", "constant", "wanted"),
    [
        (0.8775, 0.81, 0.871, "small"),
        (0.8775, 0.81, 0.85, None),
        (0.8775, 0.555, 0.871, None),
        (0.8775, 0.81, None, None),
    ],
)
def test_a_model_that_ranks_but_answers_like_a_constant_is_found(
    accuracy: float, auc: float, constant: float | None, wanted: str | None
) -> None:
    figures = example_figures.model_figures("binary", served=False)
    metrics = tuple(
        MetricFigures(name, example_figures.estimate(value), None, None, guess)
        for name, value, guess in (("accuracy", accuracy, constant), ("auc", auc, 0.5))
    )
    matrix = ThresholdRow(0.5, 8, 5, 121, 866)
    found = replace(figures, metrics=metrics, binary=replace(figures.binary, thresholds=(matrix,)))
    assert quality_facts.constant_answer(found) == wanted
    rendered = replace(
        examples.pushed(), quality=replace(quality_of(examples.pushed()), figures=found)
    )
    assert ("that always answers <bdi>small</bdi>" in render_page(rendered)) == bool(wanted)


def test_the_served_model_has_columns_only_where_it_is_known() -> None:
    assert quality_facts.has_served(quality_facts.metric_rows(quality_of(examples.pushed()), False))
    assert not quality_facts.has_served(
        quality_facts.metric_rows(quality_of(examples.first_run()), False)
    )


def test_cells_of_numbers_are_known() -> None:
    row = WrongRow(1, "a", "b", None, 1.0, {"n": "-1.5", "t": "x", "m": "(missing)"})
    rows = [row, replace(row, cells={"n": "(missing)", "t": "3", "m": "2"})]
    assert quality_facts.numeric_columns(rows, ["n", "t", "m"]) == {"n", "m"}
