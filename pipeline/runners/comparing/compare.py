"""Compares two runs; a part that cannot be compared becomes a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import DecodeError
from google.protobuf.text_format import ParseError

from pipeline.core.contracts import ArtifactType, Node
from pipeline.core.text import counted, message_of
from pipeline.report.comparison import (
    Change,
    ColumnChange,
    CommonRows,
    Comparison,
    MetricChange,
    SliceChange,
)
from pipeline.report.content import Report
from pipeline.report.quality_facts import main_metric
from pipeline.runners.comparing.answers import compare_answers
from pipeline.runners.comparing.changes import (
    describe_table,
    flatten_configuration,
    list_changes,
)
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.common_predictions import CommonPredictions, find_common_predictions
from pipeline.runners.comparing.data import TrainingData, compare_columns
from pipeline.runners.comparing.inputs import NotComparableError, RunInputs
from pipeline.runners.comparing.metrics import compare_paired, compare_slices, compare_unpaired
from pipeline.runners.comparing.pair import Pair

_FORMAT = 1
_Models = tuple[tuple[MetricChange, ...], tuple[SliceChange, ...], CommonRows | None]
_NO_MODELS: _Models = ((), (), None)


def compare(before: ChosenRun, after: ChosenRun) -> Comparison:
    """Returns the comparison of two runs.

    Raises:
      ConfigError: the metadata file of a run cannot be used.
    """
    runs = Pair(before, after).map(RunInputs.read)
    notes: list[str] = []
    columns = _compare_data(runs, notes)
    metric = _choose_metric(runs.after.report) or _choose_metric(runs.before.report)
    common = _find_common(runs, notes)
    metrics, slices, rows = _compare_models(runs, common, metric, notes)
    lineages = runs.map(lambda run: run.report.lineage)
    return Comparison(
        format=_FORMAT,
        before=runs.before.side,
        after=runs.after.side,
        headline=_describe_labels(runs) or _describe(metric, metrics),
        configuration=_list_known(
            lineages.map(lambda lineage: flatten_configuration(lineage.configuration)),
            "configuration",
            notes,
        ),
        code=_list_known(lineages.map(lambda lineage: lineage.code_digests), "code", notes),
        versions=_list_known(lineages.map(lambda lineage: lineage.versions), "packages", notes),
        data=list_changes(*runs.map(lambda run: describe_table(run.report.lineage, run.side.rows))),
        columns=columns,
        metric=metric,
        metrics=metrics,
        paired=common is not None,
        slices=slices,
        rows=rows,
        notes=tuple(notes),
    )


def _list_known(values: Pair[Mapping[str, str]], what: str, notes: list[str]) -> tuple[Change, ...]:
    """Returns the changes; none, and a note, if a run did not record the values."""
    if all(values):
        return list_changes(*values)
    if any(values):
        notes.append(f"The {what} cannot be compared: one of the runs did not record its {what}.")
    return ()


def _find_common(runs: Pair[RunInputs], notes: list[str]) -> CommonPredictions | None:
    """Returns the predictions of the common rows, or None and a note why there are none."""
    if _describe_labels(runs):
        notes.append("The models are not compared, because the runs predict different columns.")
        return None
    try:
        return find_common_predictions(runs)
    except NotComparableError as error:
        cause = str(error)
    notes.append(f"The models are not compared on common rows, but each on its own rows: {cause}.")
    return None


def _describe_labels(runs: Pair[RunInputs]) -> str:
    """Returns the labels of the runs if they differ; empty if they are equal, or unknown."""
    labels = runs.map(lambda run: run.label)
    if labels.is_equal() or None in labels:
        return ""
    return f"The runs predict different columns: {' and '.join(map(repr, labels))}."


def _compare_models(
    runs: Pair[RunInputs], common: CommonPredictions | None, metric: str | None, notes: list[str]
) -> _Models:
    if common is None:
        reports = runs.map(lambda run: run.report)
        return _NO_MODELS if _describe_labels(runs) else (compare_unpaired(reports), (), None)
    if common.rows.relabelled:
        rows = counted(common.rows.relabelled, "common row")
        notes.append(
            f"{rows} {'differs' if common.rows.relabelled == 1 else 'differ'} only in the label. "
            "The later run's label judges both models."
        )
    least = runs.after.least_slice
    slices = compare_slices(common.models, metric, least) if metric else ()
    shows_cells = all(run.shows_rows for run in runs)
    answers = compare_answers(common.models, common.rows, common.cells if shows_cells else None)
    return compare_paired(common.models), slices, answers


def _compare_data(runs: Pair[RunInputs], notes: list[str]) -> tuple[ColumnChange, ...]:
    try:
        statistics = runs.map(lambda run: run.require(Node.STATISTICS_GEN, ArtifactType.STATISTICS))
        return compare_columns(statistics.map(TrainingData.read), runs.after.read_drift_rules())
    except (NotComparableError, OSError, DecodeError, ParseError, IndexError) as error:
        notes.append(f"The training data is not compared: {message_of(error)}.")
        return ()


def _choose_metric(report: Report) -> str | None:
    return main_metric(report.quality) if report.quality else None


def _describe(metric: str | None, metrics: Sequence[MetricChange]) -> str:
    """Returns the result by the metric that decides."""
    change = next((c for c in metrics if c.name == metric), None)
    if change is None or change.difference.value is None:
        return "The runs have no metric in common."
    value, low, high = (change.difference.value, change.difference.low, change.difference.high)
    if not value:
        return f"{change.name} is the same."
    size = f"{change.name} {'rose' if value > 0 else 'fell'} by {abs(value):.4g}"
    if low is None or high is None:
        return f"{size}; whether that is chance is unknown."
    words = "the second model is better" if change.is_better else "the second model is worse"
    if low <= 0 <= high:
        words = "chance explains that"
    elif change.is_better is None:
        words = "more than chance explains"
    return f"{size} (95 %: {low:+.4g} to {high:+.4g}): {words}."
