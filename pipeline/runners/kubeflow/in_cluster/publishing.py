"""Publishes a task's report and its metrics to Kubeflow's pages.

A failed task publishes nothing. So the task before the gate reports the findings that stop the run,
and the Evaluator reports why the Pusher will not push.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.findings.findings import read_findings
from components.served_model.waiting import find_waiting
from pipeline.core.contracts import Channel, EvaluatedModel, Node, Property
from pipeline.core.errors import AFTER_WITHDRAWAL, NotBlessedError, WithdrawnError
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.markdown import describe_evaluation, describe_findings
from pipeline.runners.kubeflow.in_cluster.outputs import write_output
from pipeline.runners.kubeflow.in_cluster.uris import to_path

REPORT = "report"
METRICS = "metrics"

Artifacts = Mapping[str, Sequence[Any]]


def publish_reports(
    node_id: str, inputs: Artifacts, outputs: Artifacts, places: Mapping[str, Json]
) -> Json:
    """Writes the node's report to the artifacts in `places`, and returns the published artifacts.

    A node without a report publishes nothing.

    Raises:
      NotBlessedError: the Pusher pushed nothing because the model is not blessed.
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
    if node_id == Node.PUSHER:
        _describe_push(inputs, outputs)
    return {}


def _publish(places: Mapping[str, Json], text: str, metrics: Mapping[str, float]) -> Json:
    print(html.unescape(text))
    published: Json = {}
    if REPORT in places:
        write_output(Path(to_path(places[REPORT]["uri"])), text)
        published[REPORT] = places[REPORT]
    if METRICS in places:
        published[METRICS] = {**places[METRICS], "metadata": dict(metrics)}
    return published


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
    from components.evaluator.results import explain_failures

    missed = explain_failures(inputs[Channel.EVALUATION][0].uri)
    raise NotBlessedError("not blessed, and so not pushed: " + "; ".join(missed))


def drop_undefined(metrics: Mapping[str, float]) -> dict[str, float]:
    """Returns the metrics without NaN and infinite values, which JSON cannot represent."""
    return {name: value for name, value in metrics.items() if math.isfinite(value)}
