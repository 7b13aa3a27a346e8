"""Names of tasks: kebab case in every reference, and no name that the backend refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.task_names import (
    refuse_illegal_names,
    rename_to_kebab_case,
    task_name,
)

Json = dict[str, Any]


def test_names_and_references_are_renamed_to_kebab_case(raw: Json) -> None:
    """Reason 4: Argo refuses underscores."""
    spec = rename_to_kebab_case(raw)
    tasks = spec["root"]["dag"]["tasks"]
    assert list(tasks) == ["example-gen", "pusher"]
    pusher = tasks["pusher"]
    assert pusher["dependentTasks"] == ["example-gen"]
    assert pusher["taskInfo"]["name"] == "pusher"
    given = pusher["inputs"]["artifacts"]["examples"]["taskOutputArtifact"]
    assert given["producerTask"] == "example-gen"
    for task in tasks.values():
        component = spec["components"][task["componentRef"]["name"]]
        assert component["executorLabel"] in spec["deploymentSpec"]["executors"]
    assert "_executor" not in json.dumps(spec)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("ExampleGen", "example-gen"),
        ("TFXNode", "tfx-node"),
        ("Import.schema_v2", "import-schema-v2"),
        ("Pusher", "pusher"),
    ],
)
def test_task_name_is_the_node_id_in_kebab_case(node: str, name: str) -> None:
    """Reason 4."""
    assert task_name(node) == name


@pytest.mark.parametrize(
    ("pipeline", "nodes", "message"),
    [
        ("Taxi", ["Pusher"], "name: Taxi"),
        ("taxi_trips", ["Pusher"], "name: taxi_trips"),
        ("taxi", ["My Pusher!"], "my-pusher! is not a legal name"),
        ("taxi", ["x" * 64], "is not a legal name"),
        ("taxi", ["ExampleGen", "example_gen"], "ExampleGen and example_gen would both"),
    ],
)
def test_names_that_the_backend_refuses_are_refused_at_compile_time(
    pipeline: str, nodes: list[str], message: str
) -> None:
    """Reason 13."""
    with pytest.raises(ConfigError) as caught:
        refuse_illegal_names(pipeline, nodes)
    assert message in caught.value.message
