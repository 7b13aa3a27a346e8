"""Execution properties: constants for TFX, one parameter from the first task for Kubeflow."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.added_tasks.first_task import add_first_task
from pipeline.runners.kubeflow.compiling.execution_properties import (
    add_code_and_variables,
    read_constants,
    take_properties_from_first_task,
)
from pipeline.runners.kubeflow.compiling.task_names import rename_to_kebab_case

Json = dict[str, Any]


def test_changed_code_changes_the_properties_that_the_cache_compares(raw: Json) -> None:
    """Reason 10."""
    before, after = (add_code_and_variables(raw, {"ExampleGen": f"--code={n}"}) for n in "12")
    assert read_constants(before)["ExampleGen"] == {"surroundings": "--code=1", "seed": 7}
    assert read_constants(before) != read_constants(after)


@pytest.mark.parametrize(
    "value",
    [
        {"componentInputParameter": "seed"},
        {"runtimeValue": {"constant": '{"a": "{\\"__class__\\": \\"RuntimeParameter\\"}"}'}},
    ],
)
def test_runtime_parameters_of_tfx_are_refused(raw: Json, value: Json) -> None:
    """Reason 12: Kubeflow would pass their names."""
    raw["root"]["dag"]["tasks"]["ExampleGen"]["inputs"]["parameters"]["seed"] = value
    with pytest.raises(ConfigError, match=r"ExampleGen\.seed is a RuntimeParameter"):
        read_constants(raw)


def test_integer_properties_stay_integers(raw: Json) -> None:
    value = read_constants(raw)["ExampleGen"]["seed"]
    assert (value, type(value)) == (7, int)


def test_every_task_takes_its_properties_from_the_first_task(raw: Json) -> None:
    spec = rename_to_kebab_case(
        add_first_task(take_properties_from_first_task(raw), "image", '{"name": "taxi"}')
    )
    tasks = spec["root"]["dag"]["tasks"]
    outputs = spec["components"]["comp-prepare"]["outputDefinitions"]["parameters"]
    for name in ("example-gen", "pusher"):
        assert tasks[name]["inputs"]["parameters"] == {
            "properties": {
                "taskOutputParameter": {"producerTask": "prepare", "outputParameterKey": name}
            }
        }
        assert name in outputs
        assert "prepare" in tasks[name]["dependentTasks"]
    assert tasks["pusher"]["dependentTasks"] == ["example-gen", "prepare"]
