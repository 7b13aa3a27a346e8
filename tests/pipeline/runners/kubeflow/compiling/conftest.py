"""A specification as TFX compiles it, for the tests of each step that adapts it to Kubeflow."""

from __future__ import annotations

from typing import Any

import pytest

Json = dict[str, Any]


@pytest.fixture
def raw() -> Json:
    """Two nodes as TFX 1.16 and 1.21 compile them, the second after the first."""
    return {
        "schemaVersion": "2.1.0",
        "pipelineInfo": {"name": "taxi"},
        "root": {"dag": {"tasks": {"ExampleGen": _example_gen(), "Pusher": _pusher()}}},
        "components": {
            "ExampleGen": {
                "executorLabel": "ExampleGen_executor",
                "inputDefinitions": {"parameters": {"seed": {"parameterType": "NUMBER_INTEGER"}}},
            },
            "Pusher": {
                "executorLabel": "Pusher_executor",
                "inputDefinitions": {"artifacts": {"examples": {"artifactType": {}}}},
            },
        },
        "deploymentSpec": {
            "executors": {
                "ExampleGen_executor": {"container": {**_container(), "lifecycle": {"x": 1}}},
                "Pusher_executor": {"container": _container()},
            }
        },
    }


def _example_gen() -> Json:
    return {
        "taskInfo": {"name": "ExampleGen"},
        "componentRef": {"name": "ExampleGen"},
        "inputs": {"parameters": {"seed": {"runtimeValue": {"constant": 7.0}}}},
        "cachingOptions": {"enableCache": True},
    }


def _pusher() -> Json:
    return {
        "taskInfo": {"name": "Pusher"},
        "componentRef": {"name": "Pusher"},
        "dependentTasks": ["ExampleGen"],
        "inputs": {
            "artifacts": {
                "examples": {
                    "taskOutputArtifact": {
                        "producerTask": "ExampleGen",
                        "outputArtifactKey": "examples",
                    }
                }
            }
        },
    }


def _container() -> Json:
    return {
        "image": "tfx",
        "command": ["python", "-m", "tfx"],
        "args": [
            "--executor_class_path", "a.B",
            "--json_serialized_invocation_args", "{{$}}",
            "--json_serialized_inputs_spec_args", '{\n  "parameters": {}\n}',
            "--runner=x",
        ],
    }  # fmt: skip
