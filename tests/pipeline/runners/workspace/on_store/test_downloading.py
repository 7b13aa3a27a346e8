"""A machine finds the last whole state of an output."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from object_store import Bucket
from outputs import ALL, become_new_machine, keys, list_tree, run
from recorded_workspace import RecordedWorkspace

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.manifest import MANIFEST
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy


def test_a_new_machine_has_metadata_and_logs_and_places_for_artifacts(
    address: str, caches: Path
) -> None:
    recorded = run(address, ALL, ["Trainer"])
    before, graph = list_tree(recorded.root), recorded.graph()
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    assert list_tree(copy.root) == {path for path in before if not path.startswith("artifacts/")}
    assert RecordedWorkspace(copy.root).graph() == graph
    assert all(Path(artifact.uri).is_dir() for artifact in graph.artifacts.values())


def test_what_another_machine_changed_replaces_what_is_here(
    address: str, caches: Path, tmp_path: Path
) -> None:
    run(address, ALL)
    shutil.copytree(caches, tmp_path / "old")
    later = run(address, ["Trainer"])
    gone = next((later.root / "logs").iterdir())
    shutil.rmtree(gone)
    run(address)
    wanted = later.graph()
    become_new_machine(caches)
    shutil.copytree(tmp_path / "old", caches)
    copy = WorkingCopy.open(address)
    (copy.root / "logs/other").mkdir()
    (copy.root / "logs/other/run.log").touch()
    check_out(copy, Remote(address))
    assert RecordedWorkspace(copy.root).graph() == wanted
    assert not (copy.root / "logs" / gone.name / "summary.json").exists()
    assert not (copy.root / "logs/other/run.log").exists()


def test_what_could_not_be_uploaded_stays_while_nobody_changes_the_store(address: str) -> None:
    recorded = run(address, ALL)
    name = recorded.run(["Trainer"])
    check_out(WorkingCopy.open(address), Remote(address))
    assert (recorded.root / "logs" / name).is_dir()


def test_a_killed_download_is_repeated(address: str, caches: Path) -> None:
    recorded = run(address, ALL)
    wanted = list_tree(recorded.root)
    copy = WorkingCopy.open(address)
    copy.mark_dirty()
    (copy.root / "metadata.db").write_bytes(b"half")
    check_out(copy, Remote(address))
    assert list_tree(copy.root) == wanted
    assert RecordedWorkspace(copy.root).graph().artifacts


def test_a_log_that_grew_after_the_list_was_written_is_taken_as_it_is(
    address: str, bucket: Bucket, caches: Path
) -> None:
    run(address, ALL)
    (log, *_) = sorted(key for key in keys(bucket) if key.startswith("logs/"))
    bucket.put(f"runs/shop/{log}", b"longer than before")
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    assert (copy.root / log).read_bytes() == b"longer than before"


def test_metadata_that_somebody_changed_is_refused(
    address: str, bucket: Bucket, caches: Path
) -> None:
    run(address, ALL)
    (state,) = (key for key in keys(bucket) if key.startswith(".states/"))
    bucket.put(f"runs/shop/{state}", b"other")
    become_new_machine(caches)
    with pytest.raises(PipelineError, match="is not the one that was uploaded") as caught:
        check_out(WorkingCopy.open(address), Remote(address))
    assert "name another --output" in caught.value.hint


def test_a_reader_begins_anew_if_a_run_removes_what_it_reads(
    address: str, caches: Path, bucket: Bucket, server: FaultyServer, tmp_path: Path
) -> None:
    """The second run removes the state of the metadata that the first one left."""
    recorded = run(address, ALL)
    shutil.copytree(caches, tmp_path / "old")
    old = {key: bucket.client.get_object(Bucket=bucket.name, Key=f"runs/shop/{key}")["Body"].read()
           for key in keys(bucket)}  # fmt: skip
    recorded.run(["Trainer"])
    run(address)
    new_manifest = Remote(address).read(MANIFEST)
    assert new_manifest is not None
    bucket.put(f"runs/shop/{MANIFEST}", old[MANIFEST])
    become_new_machine(caches)

    def replace(method: str, path: str) -> str:
        if method == "GET" and ".states" in path:
            bucket.put(f"runs/shop/{MANIFEST}", new_manifest[0])
        return ""

    copy = WorkingCopy.open(address)
    with server.failing(replace):  # type: ignore[arg-type]
        base = check_out(copy, Remote(address))
    assert base.manifest.to_bytes() == new_manifest[0]


def test_a_lost_list_of_files_is_an_error(address: str, bucket: Bucket) -> None:
    run(address, ALL)
    bucket.client.delete_object(Bucket=bucket.name, Key=f"runs/shop/{MANIFEST}")
    with pytest.raises(ConfigError, match=r"output\.json is gone"):
        run(address)
