"""A serving directory that is filled in the steps of the Pusher, with tiny files for a model."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from components.pusher.candidates import add_candidate
from components.pusher.publication import prune, publish
from components.pusher.versions import new_number, push_version
from components.served_model.changes import Change, now
from components.served_model.lock import lock_serving
from components.served_model.pointer import find_damage, find_record, read_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.waiting import Candidate
from pipeline.core.files import file_sizes
from pipeline.runners.workspace.places import Workspace


@dataclass(frozen=True)
class Shop:
    """A workspace; the run key and the content of a model are its name."""

    root: Path
    keep: int = 5
    store: str = ""
    """The address of the serving directory; empty for one on this machine."""

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.root, self.root / "serving", self.store)

    @property
    def serving(self) -> str:
        return str(self.root / "serving")

    def push(self, name: str) -> str:
        """Pushes a model that was compared with the served model; returns its version."""
        places, before = self._make(name), read_pointer(self.serving)
        model = places.pop("model")
        version = push_version(model, places, self.serving)
        change = Change("push", version, name, now(), run=f"run-{name}")
        files = file_sizes(os.path.join(self.serving, version))
        publish(self.serving, self._record(name, version, files), change, "shop")
        prune(self.serving, self.keep, before)
        return version

    def wait(self, name: str, exports_key: str = "") -> str:
        """Makes a model wait; returns its number."""
        record = self._record(name, new_number(self.serving), {})
        record = replace(record, exports_key=exports_key)
        candidate = Candidate(record, now(), f"run-{name}", self.keep, "shop")
        return add_candidate(self.serving, candidate, self._make(name)).number

    def served(self) -> str:
        """Returns the name of the served model, after a check that all its files are there."""
        record = read_pointer(self.serving)
        assert record is not None
        assert find_damage(record) == ""
        for file in (record.served_schema, record.served_statistics):
            assert Path(file, "file").read_text() == record.run_key
        assert Path(record.served_model, "saved_model.pb").read_text() == record.run_key
        return record.run_key

    def push_to_store(self, name: str) -> str:
        """Pushes a model as a run does; returns its version."""
        self.workspace.refresh_serving()
        with lock_serving(self.serving):
            return self.push(name)

    def wait_on_store(self, name: str) -> str:
        """Makes a model wait as a run does; returns its number."""
        self.workspace.refresh_serving()
        with lock_serving(self.serving):
            return self.wait(name)

    def copy(self, root: Path) -> Shop:
        shutil.copytree(self.root, root)
        return Shop(root, self.keep)

    def _make(self, name: str) -> dict[str, str]:
        places = {kind: self.root / "made" / name / kind for kind in ("schema", "statistics")}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
            (place / "file").write_text(name)
        model = self.root / "made" / name / "model"
        model.mkdir(exist_ok=True)
        (model / "saved_model.pb").write_text(name)
        return {kind: str(place) for kind, place in places.items()} | {"model": str(model)}

    def _record(self, name: str, version: str, files: dict[str, int]) -> ServedRecord:
        baseline = find_record(self.serving, "baseline", name)
        return ServedRecord(
            version, f"artifacts/{name}", "evaluation", "statistics", "schema", "{}",
            f"data-{name}", name, files, reference=baseline, baseline=baseline,
        )  # fmt: skip
