"""Publishes a task's report and its metrics to Kubeflow's pages.

A failed task publishes nothing. So the task before the gate reports the findings that stop the run,
and the Evaluator and ServingCheck report why the Pusher will not push.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.findings.findings import read_findings
from components.model_exports.results import read_results as read_exports
from components.model_figures.figures import ModelFigures
from components.run_figures.figures_file import read_figures
from components.served_model.waiting import find_waiting
from components.serving_check.blessing import read_result
from pipeline.core.contracts import ArtifactFile, Channel, EvaluatedModel, Node, Property
from pipeline.core.errors import (
    AFTER_WITHDRAWAL,
    NotBlessedError,
    ServingCheckError,
    WithdrawnError,
)
from pipeline.runners.kubeflow.in_cluster.classification import describe_classification
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.markdown import (
    describe_evaluation,
    describe_exports,
    describe_findings,
    describe_serving_check,
    to_plain_text,
)
from pipeline.runners.kubeflow.in_cluster.outputs import write_output
from pipeline.runners.kubeflow.in_cluster.uris import to_path

REPORT = "report"
METRICS = "metrics"
CLASSIFICATION = "classification"

Artifacts = Mapping[str, Sequence[Any]]


def publish_reports(
    node_id: str, inputs: Artifacts, outputs: Artifacts, places: Mapping[str, Json]
) -> Json:
    """Writes the node's report to the artifacts in `places`, and returns the published artifacts.

    A node without a report publishes nothing.

    Raises:
      NotBlessedError: the Pusher pushed nothing because the model is not blessed.
      ServingCheckError: the Pusher pushed nothing because the serving check failed.
      WithdrawnError: the Pusher pushed nothing because a rollback withdrew the model.
    """
    if node_id == Node.ANOMALY_REPORT:
        findings = read_findings(outputs[Channel.FINDINGS][0].uri)
        return _publish(places, describe_findings(findings), {})
    if node_id == Node.EVALUATOR:
        # Imported late: TensorFlow Model Analysis takes seconds to load.
        from components.evaluator.results import explain_failures, read_bounds, read_metrics

        [evaluation], [record] = outputs[Channel.EVALUATION], inputs[Channel.BASELINE]
        uri = evaluation.uri
        metrics, served = read_metrics(uri), read_metrics(uri, EvaluatedModel.BASELINE).get("", {})
        # The Evaluator's note comes first, then the note of the component that read the baseline.
        notes = (a.get_string_custom_property(Property.NOTE) for a in (evaluation, record))
        note = next(filter(None, notes), "")
        missed = explain_failures(uri)
        text = describe_evaluation(metrics, served, read_bounds(uri), missed, note)
        return _publish(places, text, drop_undefined(metrics.get("", {})))
    if node_id == Node.MODEL_FIGURES:
        return _publish_classification(places, outputs[Channel.FIGURES][0].uri)
    if node_id == Node.SERVING_CHECK:
        result = read_result(outputs[Channel.BLESSING][0].uri)
        return _publish(places, describe_serving_check(result), {})
    if node_id == Node.MODEL_EXPORTER:
        exports = read_exports(outputs[Channel.EXPORTS][0].uri)
        return _publish(places, describe_exports(exports), {})
    if node_id == Node.PUSHER:
        _describe_push(inputs, outputs)
    return {}


def _publish(places: Mapping[str, Json], text: str, metrics: Mapping[str, float]) -> Json:
    print(to_plain_text(text))
    published: Json = {}
    if REPORT in places:
        write_output(Path(to_path(places[REPORT]["uri"])), text)
        published[REPORT] = places[REPORT]
    if METRICS in places:
        published[METRICS] = {**places[METRICS], "metadata": dict(metrics)}
    return published


def _publish_classification(places: Mapping[str, Json], uri: str) -> Json:
    figures = read_figures(Path(uri, ArtifactFile.MODEL_FIGURES), ModelFigures)
    metadata = describe_classification(figures)
    if CLASSIFICATION not in places or not metadata:
        return {}
    return {CLASSIFICATION: {**places[CLASSIFICATION], "metadata": metadata}}


def _describe_push(inputs: Artifacts, outputs: Artifacts) -> None:
    [pushed] = outputs[Channel.PUSHED_MODEL]
    destination = pushed.get_string_custom_property(Property.PUSHED_DESTINATION)
    if waiting := find_waiting(destination):
        print(f"Waiting for `promote`: {waiting}")
    elif destination:
        print(f"Served: {destination}")
    elif withdrawn := pushed.get_string_custom_property(Property.WITHDRAWN):
        raise WithdrawnError(f"not pushed: {withdrawn}", AFTER_WITHDRAWAL)
    else:
        _refuse_unblessed(inputs)


def _refuse_unblessed(inputs: Artifacts) -> None:
    [blessing] = inputs[Channel.BLESSING]
    if blessing.get_int_custom_property(Property.BLESSED) == 1:
        check = read_result(inputs[Channel.INFRA_BLESSING][0].uri)
        problems = check.problems if check else ()
        raise ServingCheckError(
            "the serving check failed, so nothing is pushed: " + "; ".join(problems)
        )
    from components.evaluator.results import explain_failures

    missed = explain_failures(inputs[Channel.EVALUATION][0].uri)
    raise NotBlessedError("not blessed, and so not pushed: " + "; ".join(missed))


def drop_undefined(metrics: Mapping[str, float]) -> dict[str, float]:
    """Returns the metrics without NaN and infinite values, which JSON cannot represent."""
    return {name: value for name, value in metrics.items() if math.isfinite(value)}
