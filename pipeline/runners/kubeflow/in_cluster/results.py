"""What a component tells about itself for the page of the run, read from its output artifacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.served_model.waiting import find_waiting
from pipeline.core.contracts import ArtifactFile, Channel, EvaluatedModel, Node, Property
from pipeline.runners.kubeflow.in_cluster.recording import Result
from pipeline.runners.kubeflow.in_cluster.uris import to_uri
from pipeline.runners.kubeflow.run_records.task_record import OutputRecord

KEPT = (
    ArtifactFile.FINDINGS,
    ArtifactFile.DATA_FIGURES,
    ArtifactFile.MODEL_FIGURES,
    ArtifactFile.HISTORY,
    ArtifactFile.TUNER_RESULTS,
)
"""The files of artifacts that the page is made of, all of them small."""

Artifacts = Mapping[str, Sequence[Any]]


def describe_result(node: str, outputs: Artifacts) -> Result:
    """Returns the description of a component that has ended."""
    single = {key: artifact for key, [artifact] in outputs.items()}
    return Result(
        outputs={key: _describe(artifact) for key, artifact in single.items()},
        files={
            key: {name: Path(a.uri, name) for name in KEPT if Path(a.uri, name).exists()}
            for key, a in single.items()
        },
        outcome=_describe_outcome(node, single),
    )


def _describe(artifact: Any) -> OutputRecord:
    custom = artifact.mlmd_artifact.custom_properties
    kinds = {name: value.WhichOneof("value") for name, value in custom.items()}
    plain = ("string_value", "int_value", "double_value")
    properties = {n: getattr(custom[n], k) for n, k in kinds.items() if k in plain}
    return OutputRecord(artifact.type_name, to_uri(artifact.uri), properties)


def _describe_outcome(node: str, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of RunEnded: what is known of the end of the run after this component."""
    if node == Node.EVALUATOR:
        # Imported late: TensorFlow Model Analysis takes seconds to load. The Evaluator has it.
        from components.evaluator.results import explain_failures, read_metrics

        uri = outputs[Channel.EVALUATION].uri
        blessed = outputs[Channel.BLESSING].get_int_custom_property(Property.BLESSED)
        return {
            "blessed": bool(blessed),
            "metrics": read_metrics(uri),
            "baseline_metrics": read_metrics(uri, EvaluatedModel.BASELINE).get("", {}),
            "missed": list(explain_failures(uri)),
        }
    if node == Node.PUSHER:
        pushed = outputs[Channel.PUSHED_MODEL]
        destination = pushed.get_string_custom_property(Property.PUSHED_DESTINATION)
        waiting = find_waiting(destination)
        return {
            "pushed": None if waiting else destination,
            "waiting": waiting,
        }
    return {}
