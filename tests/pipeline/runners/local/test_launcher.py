"""While the launcher is replaced, each node of a DAG sends its events; real components run."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tfx import types
from tfx.dsl.components.base import base_component, base_executor, executor_spec
from tfx.orchestration import pipeline
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.metadata import sqlite_metadata_connection_config
from tfx.orchestration.portable import launcher
from tfx.types import artifact_utils, channel_utils, component_spec, standard_artifacts

from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import ComponentChanged, EventReader
from pipeline.runners.local.launcher import ComponentError, replace_launcher


class _Executor(base_executor.BaseExecutor):
    def Do(self, input_dict: Any, output_dict: Any, exec_properties: dict[str, Any]) -> None:  # noqa: N802
        artifact = artifact_utils.get_single_instance(output_dict["model"])
        if exec_properties["fails"]:
            raise OSError("no rows")
        Path(artifact.uri, "weights").write_text("12345")
        # As a write that an engine had to start again leaves it.
        Path(artifact.uri, "beam-temp-weights-1f").mkdir()
        artifact.set_string_custom_property("rows", json.dumps({"train": 3}))
        artifact.set_string_custom_property("note", "one row was left out")


class _Spec(types.ComponentSpec):
    PARAMETERS = {"fails": component_spec.ExecutionParameter(type=int)}
    INPUTS: dict[str, Any] = {}
    OUTPUTS = {"model": component_spec.ChannelParameter(type=standard_artifacts.Model)}


class Maker(base_component.BaseComponent):
    """Writes a small model, or fails."""

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(_Executor)

    def __init__(self, fails: int) -> None:
        model = channel_utils.as_channel([standard_artifacts.Model()])
        super().__init__(_Spec(fails=fails, model=model))


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EventReader]:
    path = tmp_path / "events.jsonl"
    monkeypatch.setenv(EVENTS_VARIABLE, str(path))
    stock = launcher.Launcher
    yield EventReader(path)
    assert launcher.Launcher is stock


def run(directory: Path, fails: int, prepare: Callable[[str], None] = lambda node: None) -> None:
    """Runs a DAG of one node."""
    dag = pipeline.Pipeline(
        pipeline_name="small",
        pipeline_root=str(directory / "artifacts"),
        components=[Maker(fails)],
        metadata_connection_config=sqlite_metadata_connection_config(str(directory / "db")),
        enable_cache=True,
    )
    with replace_launcher(prepare):
        LocalDagRunner().run(dag)


def changes(events: EventReader) -> list[ComponentChanged]:
    found = [envelope.event for envelope in events.read()]
    assert all(isinstance(event, ComponentChanged) and event.name == "Maker" for event in found)
    return found


def test_a_node_sends_its_rows_and_note_also_from_the_cache(
    tmp_path: Path, events: EventReader
) -> None:
    for state in ("complete", "cached"):
        run(tmp_path, fails=0)
        started, ended = changes(events)
        assert started == ComponentChanged("Maker", "running")
        assert (ended.state, ended.rows) == (state, {"train": 3})
        assert ended.note == "one row was left out"
        assert ended.seconds is not None
        assert ended.seconds > 0


def test_a_failed_node_sends_its_state_and_raises_its_own_error_as_the_cause(
    tmp_path: Path, events: EventReader
) -> None:
    with pytest.raises(ComponentError) as caught:
        run(tmp_path, fails=1)
    assert caught.value.component == "Maker"
    assert "no rows" in str(caught.value.__cause__)
    assert [event.state for event in changes(events)] == ["running", "failed"]


def test_what_an_interrupted_write_left_is_no_part_of_the_artifact(
    tmp_path: Path, events: EventReader
) -> None:
    run(tmp_path, fails=0)
    [weights] = tmp_path.rglob("weights")
    assert [path.name for path in weights.parent.iterdir()] == ["weights"]


def test_a_node_is_prepared_before_its_work_and_not_if_it_is_cached(
    tmp_path: Path, events: EventReader
) -> None:
    prepared: list[str] = []
    run(tmp_path, fails=0, prepare=prepared.append)
    run(tmp_path, fails=0, prepare=prepared.append)
    assert prepared == ["Maker"]
    assert [change.state for change in changes(events)] == [
        "running",
        "complete",
        "running",
        "cached",
    ]
