"""A machine finds the last whole state of an output."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from object_store import Bucket
from outputs import ALL, become_new_machine, keys, list_tree, record, run
from recorded_workspace import RecordedWorkspace

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.fetching import fetch
from pipeline.runners.workspace.on_store.manifest import MANIFEST
from pipeline.runners.workspace.on_store.session import hold_output
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
    with hold_output(WorkingCopy.open(address), ""):
        later = record(WorkingCopy.open(address))
        later.run(["Trainer"])
        gone = min((later.root / "logs").iterdir())
        shutil.rmtree(gone)
    wanted = later.graph()
    become_new_machine(caches)
    shutil.copytree(tmp_path / "old", caches)
    copy = WorkingCopy.open(address)
    (copy.root / "logs/other").mkdir()
    (copy.root / "logs/other/run.log").touch()
    check_out(copy, Remote(address))
    assert RecordedWorkspace(copy.root).graph() == wanted
    # An empty directory would count as a run that died.
    assert not (copy.root / "logs" / gone.name).exists()
    assert not (copy.root / "logs/other").exists()


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
    for key in keys(bucket, "runs/shop/objects/"):
        bucket.put(f"runs/shop/objects/{key}", b"other")
    become_new_machine(caches)
    with pytest.raises(PipelineError, match="is not the one that was uploaded") as caught:
        check_out(WorkingCopy.open(address), Remote(address))
    assert "name another --output" in caught.value.hint


def test_a_reader_begins_anew_if_a_run_removes_what_it_reads(
    address: str, caches: Path, bucket: Bucket, faulty_server: FaultyServer, tmp_path: Path
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
        if method == "GET" and "/objects/" in path:
            bucket.put(f"runs/shop/{MANIFEST}", new_manifest[0])
        return ""

    copy = WorkingCopy.open(address)
    with faulty_server.failing(replace):  # type: ignore[arg-type]
        base = check_out(copy, Remote(address))
    assert base.manifest.to_bytes() == new_manifest[0]


def test_a_lost_list_of_files_is_an_error(address: str, bucket: Bucket) -> None:
    run(address, ALL)
    bucket.client.delete_object(Bucket=bucket.name, Key=f"runs/shop/{MANIFEST}")
    with pytest.raises(ConfigError, match=r"output\.json is gone"):
        run(address)


def test_an_artifact_of_the_same_name_and_size_is_replaced(
    address: str, caches: Path, tmp_path: Path
) -> None:
    """Both machines make the artifact of the same execution, and one cannot upload it."""
    first = run(address, ALL)
    before = dict(first._latest)
    shutil.copytree(caches, tmp_path / "other")
    first.run(["Trainer"])
    model = Path(first.uri(first.latest("Model")))
    (model / "part-0").write_bytes(b"1" * 5000)
    shutil.move(caches, tmp_path / "this")
    shutil.move(tmp_path / "other", caches)
    first._latest.update(before)
    other = run(address, ["Trainer"])
    assert Path(other.uri(other.latest("Model"))) == model
    shutil.rmtree(caches)
    shutil.move(tmp_path / "this", caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    fetch(copy.root, [model])
    assert (model / "part-0").read_bytes() == bytes(5000)


def test_a_reader_downloads_no_backups(address: str, caches: Path) -> None:
    copy = WorkingCopy.open(address)
    with hold_output(copy, ""):
        record(copy).run(ALL)
        (copy.root / "backups/x").mkdir(parents=True)
        (copy.root / "backups/x/checkpoint").write_text("weights")
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address), "read")
    assert not (copy.root / "backups").exists()
    check_out(copy, Remote(address), "run")
    assert (copy.root / "backups/x/checkpoint").read_text() == "weights"
