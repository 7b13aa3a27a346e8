"""The part of the page about the quality of the model."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from components.model_figures.figures import ModelFigures
from components.serving_check.blessing import read_result
from pipeline.core.contracts import Channel, Node, Property
from pipeline.core.events import ServingCheckResult
from pipeline.report.content import MetricRow, QualityPart
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.terminal.report import sort_metrics

_WHOLE = "{} on the whole split "
"""The beginning of the Evaluator's sentence about a threshold that a metric missed."""


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
    bounds: Mapping[str, str] = {}
    if run.config:
        bounds = run.config.evaluation.bounds_by_metric(run.config.label.classes)
    is_judged = run.summary.blessed is not None
    return tuple(
        MetricRow(
            name=name,
            value=metrics[name],
            served=served.get(name),
            bound=bounds.get(name, ""),
            passed=_has_passed(name, run) if is_judged and name in bounds else None,
        )
        for name in sort_metrics(metrics)
    )


def _has_passed(metric: str, run: RunFiles) -> bool:
    """Whether no sentence of the Evaluator is about this metric: it alone decides."""
    return not any(s.startswith(_WHOLE.format(metric)) for s in run.summary.missed)
