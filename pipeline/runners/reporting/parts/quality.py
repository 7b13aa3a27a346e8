"""The part of the page about the quality of the model."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from components.model_figures.figures import ModelFigures
from components.predictions.bounds import Judgement, judge_change, judge_value
from components.serving_check.blessing import read_result
from pipeline.config import METRICS, Threshold
from pipeline.config.sections.evaluation import describe_threshold
from pipeline.core.contracts import Channel, Node, Property
from pipeline.core.events import ServingCheckResult
from pipeline.report.content import BoundCheck, MetricRow, QualityPart
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.metrics_table import sort_metrics


def describe_quality(
    run: RunFiles, nodes: Mapping[str, NodeView], figures: ModelFigures | None
) -> QualityPart | None:
    """Returns the evaluation, or None if the run stopped before it."""
    metrics, served = _find_metrics(run, figures)
    blessed = _find_blessing(run, nodes)
    if blessed is None and not metrics and figures is None:
        return None
    return QualityPart(
        blessed=blessed,
        missed=tuple(run.summary.missed),
        metrics=_make_rows(run, metrics, served),
        figures=figures,
        serving_check=_find_check(run, nodes),
        exports=tuple(run.summary.exports),
    )


def _find_blessing(run: RunFiles, nodes: Mapping[str, NodeView]) -> bool | None:
    """Returns the verdict of the Evaluator, which a run that failed later did not report."""
    if run.summary.blessed is not None:
        return run.summary.blessed
    evaluator = nodes.get(Node.EVALUATOR)
    blessing = evaluator.outputs.get(Channel.BLESSING) if evaluator else None
    if blessing is None or Property.BLESSED not in blessing.properties:
        return None
    return bool(blessing.properties[Property.BLESSED])


def _find_check(run: RunFiles, nodes: Mapping[str, NodeView]) -> ServingCheckResult | None:
    """Returns the serving check, which a run that failed later did not report."""
    node = nodes.get(Node.SERVING_CHECK)
    blessing = node.outputs.get(Channel.BLESSING) if node and node.state != "failed" else None
    if run.summary.serving_check is not None or blessing is None:
        return run.summary.serving_check
    with contextlib.suppress(OSError, ValueError):
        return read_result(blessing.uri)
    return None


def _find_metrics(
    run: RunFiles, figures: ModelFigures | None
) -> tuple[Mapping[str, float | None], Mapping[str, float | None]]:
    """Returns the metrics of the candidate and of the served model on the whole split."""
    if run.summary.metrics or figures is None:
        return dict(run.summary.metrics.get("", {})), dict(run.summary.baseline_metrics)
    served = {m.name: m.served.value for m in figures.metrics if m.served}
    return {m.name: m.candidate.value for m in figures.metrics}, served


def _make_rows(
    run: RunFiles, metrics: Mapping[str, float | None], served: Mapping[str, float | None]
) -> tuple[MetricRow, ...]:
    thresholds = _list_thresholds(run)
    is_judged = run.summary.blessed is not None
    rows = []
    for name in sort_metrics(metrics):
        own = thresholds.get(name, [])
        checks = [*_check_all(name, metrics[name], served, own)] if is_judged else []
        rows.append(
            MetricRow(
                name=name,
                value=metrics[name],
                served=served.get(name),
                bound="; ".join(describe_threshold(threshold) for threshold in own),
                passed=all(c.passed is not False for c in checks) if checks else None,
                checks=tuple(checks),
            )
        )
    return tuple(rows)


def _list_thresholds(run: RunFiles) -> Mapping[str, Sequence[Threshold]]:
    """Returns the thresholds on the whole split, by metric."""
    if run.config is None:
        return {}
    return run.config.evaluation.thresholds_by_metric(run.config.label.classes)


def _check_all(
    name: str,
    value: float | None,
    served: Mapping[str, float | None],
    thresholds: Iterable[Threshold],
) -> Iterator[BoundCheck]:
    for threshold in thresholds:
        for side, bound in threshold.sides().items():
            yield _make_check(judge_value(name, value, bound, side))
        if threshold.may_worsen_by is not None:
            yield _check_change(name, value, served, threshold.may_worsen_by)


def _check_change(
    name: str, value: float | None, served: Mapping[str, float | None], allowed: float
) -> BoundCheck:
    if name not in served:
        sentence = f"{name} may worsen by {allowed:.4g}: there is no served model to compare with"
        return BoundCheck(sentence, None, None)
    higher = bool(METRICS[name.partition("[")[0]].higher_is_better)
    return _make_check(judge_change(name, value, served[name], allowed, higher_is_better=higher))


def _make_check(judgement: Judgement) -> BoundCheck:
    margin = None if math.isnan(judgement.margin) else judgement.margin
    return BoundCheck(judgement.sentence, judgement.is_met, margin)
