"""The cache key of a task."""

from __future__ import annotations

from pathlib import Path

from small_pipeline import (
    COMPONENTS,
    MAKE,
    MAKE_TASK,
    READ_TASK,
    TASKS,
    component,
    execute,
    list_states,
    make,
)


def test_the_cache_compares_parameters_and_artifact_numbers(tmp_path: Path) -> None:
    """Reason 8: content that no parameter shows does not count."""
    execute(tmp_path, COMPONENTS, TASKS)
    assert set(list_states(execute(tmp_path, COMPONENTS, TASKS)).values()) == {"cached"}
    changed = execute(tmp_path, COMPONENTS, TASKS, rows="other")
    assert list_states(changed) == {"make": "ran", "read": "ran"}
    # A task that runs again gives its artifact a new number, so the tasks after it run too.
    uncached = {**TASKS, "make": {**MAKE_TASK, "cachingOptions": {}}}
    assert list_states(execute(tmp_path, COMPONENTS, uncached)) == {"make": "ran", "read": "ran"}
    # A task that passes on only parameters does not invalidate the cache of the tasks after it.
    sized = {**READ_TASK, "inputs": {"parameters": READ_TASK["inputs"]["parameters"]}}
    only_size = {"make": make(), "read": component("", **define_size_only())}
    tasks = {**uncached, "read": sized}
    execute(tmp_path, only_size, tasks)
    assert list_states(execute(tmp_path, only_size, tasks)) == {"make": "ran", "read": "cached"}


def define_size_only() -> dict:
    return {"inputDefinitions": {"parameters": {"size": {"parameterType": "NUMBER_INTEGER"}}}}


def test_a_changed_image_command_or_volume_misses_the_cache(tmp_path: Path) -> None:
    """Reason 10: changed content behind an unchanged tag is not noticed."""
    components, tasks = {"make": make()}, {"make": MAKE_TASK}
    execute(tmp_path, components, tasks)
    assert list_states(execute(tmp_path, components, tasks)) == {"make": "cached"}
    container = components["make"]["container"]
    image = {"make": {**components["make"], "container": {**container, "image": "other"}}}
    assert list_states(execute(tmp_path, image, tasks)) == {"make": "ran"}
    assert list_states(execute(tmp_path, {"make": make(MAKE + "\n")}, tasks)) == {"make": "ran"}
    volume = {"exec-make": {"pvcMount": [{"constant": "claim", "mountPath": str(tmp_path / "v")}]}}
    assert list_states(execute(tmp_path, components, tasks, volume)) == {"make": "ran"}
