"""Compiled files are read whole, or refused before any task runs."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_pipeline import (
    COMPONENTS,
    MAKE_TASK,
    TASKS,
    component,
    execute,
    make,
    spec,
    write_pipeline,
)

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import Retries, read_pipeline


def damage_document(document: Any) -> Iterator[Any]:
    """Yields the document with one part missing, or with another value in its place."""

    def places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield (*path, key)
            if isinstance(part, (dict, list)):
                yield from places(part, (*path, key))

    for *path, key in places(document, ()):
        for other in (None, 7, "x", [], {"x": 7}):
            changed = copy.deepcopy(document)
            parent = changed
            for step in path:
                parent = parent[step]
            if other is None:
                del parent[key]
            else:
                parent[key] = other
            yield changed


def test_a_damaged_file_is_read_or_refused_but_never_crashes(tmp_path: Path) -> None:
    file = tmp_path / "pipeline.yaml"
    retried = {**MAKE_TASK, "retryPolicy": {"maxRetryCount": 1, "backoffDuration": "1s"}}
    refused = 0
    for document in damage_document(spec(COMPONENTS, {**TASKS, "make": retried})):
        file.write_text(json.dumps(document))
        try:
            read_pipeline(file)
        except ConfigError:
            refused += 1
    assert refused > 100


def test_unsupported_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    """Reasons 2 and 3: other schema versions, and resolvers."""
    components = {"make": make()}
    with pytest.raises(ConfigError, match="depends on gone, which is missing"):
        execute(tmp_path, components, {"make": {**MAKE_TASK, "dependentTasks": ["gone"]}})
    file = tmp_path / "pipeline.yaml"
    text = file.read_text().replace('"dependentTasks": ["gone"], ', "").replace("gone", "make")
    for old, new, message in (
        ("2.1.0", "2.0.0", "schemaVersion is 2.0.0"),
        ('{"container":', '{"resolver":', "resolver executors not implemented"),
    ):
        file.write_text(text.replace(old, new))
        with pytest.raises(ConfigError, match=message):
            read_pipeline(file)


def test_retries_pause_longer_after_each_attempt() -> None:
    retries = Retries(count=3, backoff=5.0, factor=2.0)
    assert [retries.pause(attempt) for attempt in range(3)] == [5.0, 10.0, 20.0]


def test_a_variable_holds_the_id_of_the_run_and_no_other_field_of_the_pod(tmp_path: Path) -> None:
    code = 'print(os.environ["RUN"], outputs["artifacts"]["executor-logs"]["artifacts"][0]["uri"])'
    label = {"name": "RUN", "fieldPath": "metadata.labels['pipeline/runid']"}
    platform = {"exec-show": {"fieldPathAsEnv": [label]}}
    shown = execute(tmp_path, {"show": component(code)}, {"show": {}}, platform)["show"]
    run, uri = Path(shown.log).read_text().split()
    assert uri.startswith(f"s3://bucket/runs/small/{run}/")
    label["fieldPath"] = "metadata.name"
    with pytest.raises(ConfigError, match=r"metadata\.name is not supported"):
        execute(tmp_path, {"show": component(code)}, {"show": {}}, platform)


def test_settings_of_a_task_are_read(tmp_path: Path) -> None:
    policy = {"maxRetryCount": 2, "backoffDuration": "30s", "backoffMaxDuration": "600s"}
    file = write_pipeline(
        tmp_path / "pipeline.yaml",
        COMPONENTS,
        {**TASKS, "make": {**MAKE_TASK, "retryPolicy": policy}},
    )
    make_task, read_task = read_pipeline(file).tasks
    assert (make_task.name, read_task.name) == ("make", "read")
    assert make_task.retries == Retries(2, 30.0, 1.0, 600.0)
    assert read_task.upstream == {"make"}
    assert (read_task.deadline, read_task.volumes) == (None, [])
