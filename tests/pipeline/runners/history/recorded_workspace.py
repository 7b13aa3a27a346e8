"""A workspace with a history: real metadata, artifacts and logs, without the components' work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd
from past_summaries import leave_run

from components.served_model.served_record import ServedRecord
from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.events import RunEnded
from pipeline.runners.history.graph import Graph, read_graph
from pipeline.runners.workspace.places import Workspace

MADE = {"ExampleGen": "Examples", "Trainer": "Model", "Pusher": "PushedModel"}
"""The type of the artifact that each component makes."""
READ = {"ExampleGen": (), "Trainer": ("Examples",), "Pusher": ("Examples", "Model")}
STAMP = "20260301-000000-000000"
_FIRST = datetime(2026, 3, 1, 4)


@dataclass
class RecordedWorkspace:
    """Records runs as TFX would, one an hour."""

    root: Path
    files: int = 1
    """Files of an artifact."""
    file_bytes: int = 5000
    _runs: int = 0
    _latest: dict[str, int] = field(default_factory=dict)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root, self.root / "serving")

    @cached_property
    def store(self) -> MetadataStore:
        self.root.mkdir(parents=True, exist_ok=True)
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(self.workspace.metadata)
        config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
        return MetadataStore(config)

    def graph(self) -> Graph:
        return read_graph(self.store)

    def run(
        self, works: Sequence[str], version: str = "", state: int = mlmd.Execution.COMPLETE
    ) -> str:
        """Records a run in which `works` work and the others are cached; returns its name.

        The last component of `works` ends in `state`, and the components after it do not run, if
        `state` is not COMPLETE. A component that was never recorded must work.
        """
        started = _FIRST + timedelta(hours=self._runs)
        self._runs += 1
        name = started.strftime("%Y%m%d-%H%M%S-%f")
        run_id = (started + timedelta(seconds=5)).isoformat()
        leave_run(self.workspace, name, RunEnded(0, blessed=True), run_id=run_id)
        for component in MADE:
            is_last = component == works[-1] if works else False
            end = state if is_last else mlmd.Execution.COMPLETE
            self._execute(component, run_id, component in works, version, end)
            if is_last and end != mlmd.Execution.COMPLETE:
                break
        return name

    def _execute(self, component: str, run_id: str, works: bool, version: str, state: int) -> None:
        execution = mlmd.Execution(
            type_id=self.store.put_execution_type(mlmd.ExecutionType(name=f"x.{component}")),
            last_known_state=state if works else mlmd.Execution.CACHED,
        )
        (number,) = self.store.put_executions([execution])
        self._associate(number, {"pipeline_run": run_id, "node": f"shop.{component}"})
        for kind in READ[component]:
            self._connect(number, self._latest[kind], mlmd.Event.INPUT)
        if state == mlmd.Execution.COMPLETE:
            if works:
                self._latest[MADE[component]] = self._publish(component, number, version)
            self._connect(number, self._latest[MADE[component]], mlmd.Event.OUTPUT)

    def _publish(self, component: str, number: int, version: str) -> int:
        directory = self.root / "artifacts" / STAMP / component / "out" / str(number)
        system = directory.parents[1] / ".system" / "executor_execution" / str(number)
        for place in (directory, system):
            place.mkdir(parents=True)
        for index in range(self.files):
            (directory / f"part-{index}").write_bytes(bytes(self.file_bytes))
        type_id = self.store.put_artifact_type(mlmd.ArtifactType(name=MADE[component]))
        artifact = mlmd.Artifact(type_id=type_id, uri=str(directory), state=mlmd.Artifact.LIVE)
        if version and component == "Pusher":
            artifact.custom_properties[Property.PUSHED_VERSION].string_value = version
            (self.workspace.serving / version).mkdir(parents=True, exist_ok=True)
        (artifact_id,) = self.store.put_artifacts([artifact])
        return int(artifact_id)

    def _associate(self, execution: int, contexts: Mapping[str, str]) -> None:
        for kind, name in contexts.items():
            context = self.store.get_context_by_type_and_name(kind, name)
            if context is None:
                type_id = self.store.put_context_type(mlmd.ContextType(name=kind))
                (number,) = self.store.put_contexts([mlmd.Context(type_id=type_id, name=name)])
            else:
                number = context.id
            association = mlmd.Association(context_id=number, execution_id=execution)
            self.store.put_attributions_and_associations([], [association])

    def _connect(self, execution: int, artifact: int, kind: mlmd.Event.Type) -> None:
        event = mlmd.Event(artifact_id=artifact, execution_id=execution, type=kind)
        self.store.put_events([event])

    def uri(self, artifact: int) -> str:
        return str(self.graph().artifacts[artifact].uri)

    def latest(self, kind: str) -> int:
        """Returns the id of the newest artifact of a type."""
        return self._latest[kind]

    def serve(self, version: str, model: int, baseline: ServedRecord | None = None) -> ServedRecord:
        """Writes a pointer to a version of this model."""
        (self.workspace.serving / version).mkdir(parents=True, exist_ok=True)
        model_uri, evaluation = self.uri(model), "/absent"
        record = ServedRecord(
            version, model_uri, evaluation, "/absent", "/absent", "{}", "d", "r", baseline=baseline
        )
        pointer = self.workspace.serving / ArtifactFile.SERVED_RECORD
        pointer.write_text(record.to_json())
        return record

    def live(self) -> set[int]:
        return {a.id for a in self.graph().artifacts.values() if a.is_live}

    def directories(self) -> set[str]:
        """Returns the URIs of the artifacts whose directories exist, whole or not."""
        return {str(path) for path in self.root.glob("artifacts/*/[!.]*/[!.]*/*")}
