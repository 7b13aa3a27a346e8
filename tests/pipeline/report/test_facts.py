from dataclasses import replace

import example_figures
import example_reports as examples
import pytest

from components.data_figures.figures import Distance
from components.model_figures.figures import Estimate, MetricFigures, ThresholdRow, WrongRow
from pipeline.core.events import ExportResult
from pipeline.report import facts
from pipeline.report.content import MetricRow, QualityPart, Report
from pipeline.report.page import render_page


def quality_of(report: Report) -> QualityPart:
    assert report.quality is not None
    return report.quality


@pytest.mark.parametrize(
    ("name", "tone"),
    [
        ("pushed", "good"),
        ("gate_stop", "bad"),
        ("not_blessed", "warn"),
        ("failed", "bad"),
        ("interrupted", "off"),
    ],
)
def test_the_colour_of_the_verdict_follows_the_exit_code(name: str, tone: str) -> None:
    assert facts.tone(examples.ALL[name]()) == tone


def test_the_key_facts_of_a_pushed_run() -> None:
    shown = {fact.label: fact for fact in facts.key_facts(examples.pushed())}
    assert shown["Rows"].value == "15,000"
    assert shown["auc"].detail == "95 %: 0.8514 to 0.8714"
    assert shown["Against served"].detail == "more than chance"
    assert shown["Findings in the data"].value == "1"
    assert shown["Time"].value == "1 min 12 s"


def test_an_interrupted_run_has_no_facts_that_nobody_knows() -> None:
    assert facts.key_facts(examples.interrupted()) == []


def test_the_main_metric_has_a_threshold_and_is_not_the_number_of_rows() -> None:
    part = quality_of(examples.pushed())
    rows = MetricRow("examples", 3000.0, None, "", None)
    bound = replace(part.metrics[2], bound="at most 0.4")
    assert facts.main_metric(replace(part, metrics=(rows, part.metrics[1], bound))) == "log_loss"
    assert facts.main_metric(replace(part, metrics=(rows, part.metrics[1]))) == "accuracy"
    assert facts.main_metric(QualityPart(None, (), (), None)) is None


def test_metrics_of_single_classes_stand_apart_unless_they_have_a_threshold() -> None:
    rows = (
        MetricRow("examples", 3000.0, None, "", None),
        MetricRow("accuracy", 0.8, None, "", None),
        MetricRow("f1[a]", 0.7, None, "", None),
        MetricRow("f1[b]", 0.7, None, "at least 0.5", True),
    )
    part = QualityPart(True, (), rows, None)
    assert [row.name for row, _ in facts.metric_rows(part, False)] == ["accuracy", "f1[b]"]
    assert [row.name for row, _ in facts.metric_rows(part, True)] == ["f1[a]"]


def test_a_metric_that_only_the_figures_have_is_shown() -> None:
    part = replace(quality_of(examples.pushed()), metrics=())
    rows = facts.metric_rows(part, False)
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
    assert facts.difference_words(Estimate(0.0, low, high)) == words


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gate_stop", "The data gate stopped the run before the evaluation."),
        ("failed", "Trainer failed before the evaluation."),
        ("interrupted", "An interruption ended the run before the evaluation."),
        ("pushed", "The run ended before the evaluation."),
    ],
)
def test_an_empty_part_says_why(name: str, sentence: str) -> None:
    assert facts.absence(examples.ALL[name](), "the evaluation") == sentence


def test_the_slowest_component_stands_first_and_cached_ones_are_left_out() -> None:
    assert facts.slowest(examples.pushed().components)[0].name == "Trainer"
    assert facts.slowest(examples.cached().components) == []
    assert facts.cached_words(examples.cached().components) == "16 of 16 components from the cache"


def test_slices_are_compared_by_a_metric_with_a_threshold() -> None:
    part = quality_of(examples.pushed())
    assert part.figures is not None
    assert facts.slice_metrics(part.figures) == ["auc", "accuracy"]
    bound = replace(part, metrics=(MetricRow("accuracy", 0.8, None, "at least 0.5", True),))
    assert facts.slice_metric(part, part.figures) == "auc"
    assert facts.slice_metric(bound, part.figures) == "accuracy"
    assert facts.slice_metric(part, replace(part.figures, slices=())) is None


def test_small_helpers_of_the_tables() -> None:
    figures = quality_of(examples.pushed()).figures
    assert figures is not None
    assert figures.binary is not None
    half = facts.half(figures.binary.thresholds)
    assert half is not None
    assert half.threshold == 0.5
    assert facts.half(()) is None
    assert facts.ratio(1, 4) == 0.25
    assert facts.ratio(1, 0) is None
    assert facts.class_name(figures, 1) == "big"
    assert facts.class_name(replace(figures, classes=()), 1) == "positive"
    assert facts.cell_columns(figures.wrong_rows) == ["company", "trip_miles", "payment_type"]
    assert facts.shares({"train": 3, "eval": 1}) == {"train": 0.75, "eval": 0.25}
    assert facts.shares({"train": 0}) == {"train": 0.0}
    assert facts.by_name(figures.metrics)["auc"].name == "auc"


def test_the_use_of_a_column_in_words() -> None:
    figures = examples.pushed().data.figures
    assert figures is not None
    label = next(c for c in figures.columns if c.role == "label")
    assert facts.kind_words(label) == "binary, label"
    assert facts.kind_words(replace(label, kind="", role="other")) == "not used"
    assert facts.kind_words(replace(label, role="feature")) == "binary"


def test_times_measured_as_a_whole_are_known() -> None:
    """Figures of an earlier version mix hour and weekday of a timestamp."""
    report = examples.pushed()
    figures, model = report.data.figures, quality_of(report).figures
    assert figures is not None
    assert model is not None
    fare = next(c for c in figures.columns if c.name == "fare")
    timed = replace(figures, columns=(replace(fare, kind="timestamp"),))
    assert facts.mixed_times(model.dependence, timed) == ["fare"]
    parts = [replace(d, part="hour") for d in model.dependence]
    assert facts.mixed_times(parts, timed) == []
    assert facts.mixed_times(model.dependence, figures) == []


def test_exports_show_the_metrics_with_a_threshold() -> None:
    rows = (
        MetricRow("accuracy", 0.8, None, "", None),
        MetricRow("auc", 0.9, None, "at least 0.5", True),
    )
    onnx = ExportResult("onnx", "export", True, metrics={"accuracy": 0.8, "auc": 0.9})
    part = QualityPart(True, (), rows, None, exports=(onnx,))
    assert facts.export_metrics(part) == ["auc"]
    assert facts.export_metrics(replace(part, metrics=rows[:1])) == ["accuracy"]


def test_the_time_of_a_call_is_in_milliseconds() -> None:
    onnx = ExportResult("onnx", "export", True, milliseconds={"1": 0.0123})
    assert facts.milliseconds_words(onnx, 1) == "0.0123 ms"
    assert facts.milliseconds_words(onnx, 1024) == "–"


def test_a_distance_is_a_share_of_its_limit_also_beyond_it() -> None:
    distance = Distance("infinity_norm", 0.1606, 0.05, 0.0526)
    assert facts.share_of_limit(distance) == "305 %"
    assert facts.share_of_limit(replace(distance, value=0.0)) == "0 %"
    assert facts.share_of_limit(replace(distance, limit=0.0)) == "0.1606"


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
    assert facts.constant_answer(found) == wanted
    rendered = replace(
        examples.pushed(), quality=replace(quality_of(examples.pushed()), figures=found)
    )
    assert ("that always answers <bdi>small</bdi>" in render_page(rendered)) == bool(wanted)


def test_the_sentence_about_a_limit_says_what_the_distance_measures() -> None:
    assert facts.limit_words(Distance("infinity_norm", 0.16, 0.05, 0.0526)) == (
        "L-infinity distance (the greatest difference between a value's shares in the two "
        "samples). Allowed are the configured 0.05 plus what chance explains in that many rows"
    )


def test_the_served_model_has_columns_only_where_it_is_known() -> None:
    assert facts.has_served(facts.metric_rows(quality_of(examples.pushed()), False))
    assert not facts.has_served(facts.metric_rows(quality_of(examples.first_run()), False))


def test_cells_of_numbers_are_known() -> None:
    row = WrongRow(1, "a", "b", None, 1.0, {"n": "-1.5", "t": "x", "m": "(missing)"})
    rows = [row, replace(row, cells={"n": "(missing)", "t": "3", "m": "2"})]
    assert facts.numeric_columns(rows, ["n", "t", "m"]) == {"n", "m"}


def test_a_search_alone_trains_nothing() -> None:
    report = examples.tuned()
    alone = tuple(c for c in report.components if c.name != "Trainer")
    assert not facts.is_search_alone(report)
    assert facts.is_search_alone(replace(report, components=alone))
