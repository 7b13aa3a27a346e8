"""The served model is found by its version, and belongs to the run that served it first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from recorded_runs import unpack

from components.served_model.served_record import read_pointer_file
from pipeline.core.contracts import RunFile
from pipeline.runners.reporting.parts.served_model import describe_served_model
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.workspace.places import Workspace


def no_nodes(run: str) -> Mapping[str, NodeView]:
    return {}


def test_nothing_is_served(tmp_path: Path) -> None:
    assert describe_served_model(Workspace(tmp_path, tmp_path / "serving"), no_nodes) is None


def test_a_damaged_pointer_is_no_served_model(tmp_path: Path) -> None:
    (tmp_path / "serving").mkdir()
    (tmp_path / "serving" / "served.json").write_text("{")
    assert describe_served_model(Workspace(tmp_path, tmp_path / "serving"), no_nodes) is None


def test_the_first_run_that_served_the_version_made_it(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    asked: list[str] = []

    def read_nodes(run: str) -> Mapping[str, NodeView]:
        asked.append(run)
        return {}

    workspace = recorded.workspace
    record = read_pointer_file(str(workspace.serving))
    assert record is not None
    # A later run that took all from the cache served the same version.
    later = workspace.logs / "99991231-000000-000000"
    later.mkdir()
    (later / RunFile.SUMMARY).write_text(json.dumps({"pushed": f"/x/{record.version}"}))
    (workspace.logs / "00010101-000000-000000").mkdir()
    (workspace.logs / "00010101-000000-000000" / RunFile.SUMMARY).write_text("{")
    assert describe_served_model(workspace, read_nodes) is None
    [found] = asked
    assert recorded.versions[{v: k for k, v in recorded.names.items()}[found]] == record.version
