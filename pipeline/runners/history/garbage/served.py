"""What the serving directory needs of a workspace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from components.served_model.served_record import ServedRecord, read_pointer_file
from components.served_model.waiting import list_waiting, waiting_directory
from pipeline.core.contracts import Property
from pipeline.runners.history.graph import Artifact, Graph
from pipeline.runners.history.lineage.subject import list_versions
from pipeline.runners.workspace.places import Workspace


@dataclass(frozen=True)
class Served:
    """The runs and artifacts behind the versions in the serving directory."""

    workspace: Workspace
    graph: Graph

    @cached_property
    def runs(self) -> dict[str, str]:
        """Why a run must stay, by its id in ML Metadata."""
        pushes = list_versions(self.graph).items()
        makers = {self._run_of(p.id): f"made version {v}" for v, p in pushes if self._exists(v, p)}
        makers |= {
            self._run_of(model): f"made version {record.version}"
            for record in self._records
            for model in self._find(record.model)
        }
        return {run_id: reason for run_id, reason in makers.items() if run_id}

    @cached_property
    def artifacts(self) -> set[int]:
        """The ids of the artifacts that the pointer and the waiting candidates name.

        They count for the model itself, its reference and its baseline.
        """
        return {
            artifact
            for r in self._records
            for uri in (r.model, r.evaluation, r.statistics, r.schema)
            for artifact in self._find(uri)
        }

    @cached_property
    def _records(self) -> list[ServedRecord]:
        serving = str(self.workspace.serving)
        waiting = (candidate.record for candidate in list_waiting(serving))
        records = filter(None, (read_pointer_file(serving), *waiting))
        known = (one for r in records for one in (r, r.reference, r.baseline))
        return [one for one in known if one]

    @cached_property
    def _by_place(self) -> dict[Path, list[int]]:
        places: dict[Path, list[int]] = {}
        for artifact in self.graph.artifacts.values():
            places.setdefault(self._place(artifact.uri), []).append(artifact.id)
        return places

    def _find(self, uri: str) -> list[int]:
        return self._by_place.get(self._place(uri), [])

    def _place(self, uri: str) -> Path:
        # The pointer and the metadata may name a directory by two paths, after a move.
        return self.workspace.find_artifact(uri) or Path(uri)

    def _exists(self, version: str, push: Artifact) -> bool:
        destination = push.properties.get(Property.PUSHED_DESTINATION)
        elsewhere = bool(destination) and Path(str(destination)).is_dir()
        serving = self.workspace.serving
        places = (serving / version, Path(waiting_directory(str(serving), version)))
        return elsewhere or any(place.is_dir() for place in places)

    def _run_of(self, artifact: int) -> str | None:
        maker = self.graph.makers.get(artifact)
        return maker.run_id if maker else None
