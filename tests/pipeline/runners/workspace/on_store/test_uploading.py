"""The store has what runs made, all together or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty_server import FaultyServer
from object_store import Bucket
from outputs import ALL, become_new_machine, keys, list_tree, record, run

from pipeline.core.errors import PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.on_store import uploading
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.manifest import MANIFEST, Manifest
from pipeline.runners.workspace.on_store.uploading import Uploader
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy


def read_manifest(address: str) -> Manifest:
    found = Remote(address).read(MANIFEST)
    assert found is not None
    return Manifest.parse(found[0], address)


def test_the_manifest_lists_each_object_and_no_other(address: str, bucket: Bucket) -> None:
    recorded = run(address, ALL, ["Trainer", "Pusher"])
    manifest = read_manifest(address)
    assert keys(bucket) == manifest.keys() | {MANIFEST}
    assert set(manifest.files) == {
        path for path in list_tree(recorded.root) if "/.system/" not in path
    }


def test_artifacts_of_unfinished_components_stay_here(address: str) -> None:
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    record(copy).run(ALL)
    half = copy.root / "artifacts/20260301-000000-000000/Trainer/out/99"
    half.mkdir()
    (half / "part").touch()
    Uploader(copy, Remote(address), "").upload(is_at_work=True)
    assert not any("/99" in path for path in read_manifest(address).files)


def test_nothing_is_uploaded_if_nothing_changed(address: str, server: FaultyServer) -> None:
    run(address, ALL)
    copy, before = WorkingCopy.open(address), read_manifest(address)
    server.requests.clear()
    Uploader(copy, Remote(address), "").upload(is_at_work=False)
    assert server.requests == []
    assert read_manifest(address) == before


def test_an_artifact_is_uploaded_once(address: str, server: FaultyServer) -> None:
    run(address, ALL)
    server.requests.clear()
    run(address, ["Trainer"])
    uploaded = [path for method, path in server.requests if method == "PUT"]
    assert not any("/ExampleGen/" in path for path in uploaded)
    assert sum("/Trainer/" in path for path in uploaded) == 1


def test_backups_stay_on_the_store_as_they_are_while_a_run_works(address: str) -> None:
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    recorded = record(copy)
    recorded.run(ALL)
    backup = copy.root / "backups/x/checkpoint"
    backup.parent.mkdir(parents=True)
    backup.write_text("whole")
    uploader = Uploader(copy, Remote(address), "")
    uploader.upload(is_at_work=False)
    backup.write_text("half of the ne")
    recorded.run(["Trainer"])
    uploader.upload(is_at_work=True)
    files = read_manifest(address).files
    assert files["backups/x/checkpoint"].size == len("whole")
    uploader.upload(is_at_work=False)
    assert read_manifest(address).files["backups/x/checkpoint"].size == len("half of the ne")


def test_removed_runs_are_removed_from_the_store(address: str, bucket: Bucket) -> None:
    recorded = run(address, ALL)
    (gone,) = (path for path in keys(bucket) if "/Trainer/" in path)
    copy = WorkingCopy.open(address)
    (recorded.root / gone).unlink()
    (recorded.root / gone).parent.rmdir()
    Uploader(copy, Remote(address), "").upload(is_at_work=False)
    assert gone not in keys(bucket)


@pytest.mark.parametrize("killed_at", ["upload", "put_if", "remove"])
def test_a_kill_at_any_step_leaves_a_whole_output(
    address: str, bucket: Bucket, caches: Path, killed_at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill is an error that nothing in the uploader handles."""
    run(address, ALL)
    before = read_manifest(address)
    copy = WorkingCopy.open(address)
    record(copy).run(ALL)

    def die(self: Remote, *arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(uploading.Remote, killed_at, die)
        with pytest.raises(KeyboardInterrupt):
            Uploader(copy, Remote(address), "").upload(is_at_work=False)
    assert (read_manifest(address) == before) == (killed_at != "remove")
    become_new_machine(caches)
    run(address)
    assert keys(bucket) == read_manifest(address).keys() | {MANIFEST}


def test_refusals_and_lost_answers_of_the_store_lose_nothing(
    address: str, bucket: Bucket, server: FaultyServer
) -> None:
    faults = iter(["refuse", "lose answer", "", "refuse"] * 5)
    with server.failing(lambda method, _: next(faults, "") if method == "PUT" else ""):  # type: ignore[arg-type,return-value]
        run(address, ALL)
    assert next(faults, None) is None
    assert keys(bucket) == read_manifest(address).keys() | {MANIFEST}


def test_a_manifest_of_another_machine_is_not_overwritten(address: str) -> None:
    run(address, ALL)
    copy, remote = WorkingCopy.open(address), Remote(address)
    theirs = Manifest().with_new_token()
    remote.put(MANIFEST, theirs.to_bytes())
    record(copy).run(ALL)
    with pytest.raises(PipelineError, match="somebody else replaced the object during the run"):
        Uploader(copy, remote, "").upload(is_at_work=False)
    assert read_manifest(address) == theirs
