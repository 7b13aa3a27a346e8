"""The store has what runs made, all together or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from faulty_server import FaultyServer
from object_store import Bucket
from outputs import ALL, become_new_machine, keys, list_tree, record, run

from pipeline.core.errors import PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.deletion import mark_deleted
from pipeline.runners.workspace.on_store import uploading
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.fetching import fetch
from pipeline.runners.workspace.on_store.manifest import MANIFEST, Manifest, name_unit
from pipeline.runners.workspace.on_store.uploading import Uploader
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy


def list_logs(manifest: Manifest) -> set[str]:
    return {path.split("/")[1] for path in manifest.files if path.startswith("logs/")}


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


def test_nothing_is_uploaded_if_nothing_changed(address: str, faulty_server: FaultyServer) -> None:
    run(address, ALL)
    copy, before = WorkingCopy.open(address), read_manifest(address)
    faulty_server.requests.clear()
    Uploader(copy, Remote(address), "").upload(is_at_work=False)
    assert faulty_server.requests == []
    assert read_manifest(address) == before


def test_bytes_that_the_store_has_are_not_uploaded_again(
    address: str, faulty_server: FaultyServer
) -> None:
    run(address, ALL)
    faulty_server.requests.clear()
    run(address, ["Trainer"])
    uploaded = {
        path for method, path in faulty_server.requests if method == "PUT" and "objects" in path
    }
    # The model of the second run has the bytes of the first one; the metadata has others.
    assert len(uploaded) == 2
    faulty_server.requests.clear()
    run(address)
    assert not [
        path for method, path in faulty_server.requests if method == "PUT" and "objects" in path
    ]


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


def test_deleted_artifacts_are_removed_from_the_store(address: str, bucket: Bucket) -> None:
    recorded = run(address, ALL)
    model = recorded.latest("Model")
    unit = name_unit(recorded.uri(model))
    mark_deleted(recorded.store, [model])
    run(address)
    manifest = read_manifest(address)
    assert unit not in manifest.units
    assert keys(bucket) == manifest.keys() | {MANIFEST}


def test_files_that_somebody_removed_from_the_disk_stay_on_the_store(address: str) -> None:
    recorded = run(address, ALL)
    before = read_manifest(address)
    shutil.rmtree(recorded.root / "artifacts")
    shutil.rmtree(recorded.root / "logs")
    again = run(address)
    assert read_manifest(address) == before
    assert len(again.workspace.run_directories()) == 1


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
    # A log has a name of its own: it stays until a run of the same name replaces it.
    logs = {key for key in keys(bucket) if key.startswith("logs/")}
    assert keys(bucket) - logs <= read_manifest(address).keys() | {MANIFEST}


def test_refusals_and_lost_answers_of_the_store_lose_nothing(
    address: str, bucket: Bucket, faulty_server: FaultyServer
) -> None:
    faults = iter(["refuse", "lose answer", "", "refuse"] * 5)
    with faulty_server.failing(lambda method, _: next(faults, "") if method == "PUT" else ""):  # type: ignore[arg-type,return-value]
        run(address, ALL)
    assert next(faults, None) is None
    assert keys(bucket) == read_manifest(address).keys() | {MANIFEST}


def test_a_put_whose_answers_were_all_lost_locks_nobody_out(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(address, ALL)
    copy, remote = WorkingCopy.open(address), Remote(address)
    uploader = Uploader(copy, remote, "")
    record(copy).run(["Trainer"])
    put_if = Remote.put_if

    def lose(self: Remote, *arguments: Any) -> dict[str, str]:
        put_if(self, *arguments)
        raise PipelineError("the store does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(Remote, "put_if", lose)
        with pytest.raises(PipelineError, match="does not answer"):
            uploader.upload(is_at_work=True)
    record(copy).run(["Trainer"])
    uploader.upload(is_at_work=False)
    assert len(list_logs(read_manifest(address))) == 3


def test_a_suspended_machine_cannot_change_artifacts_of_the_next_one(
    address: str, caches: Path
) -> None:
    run(address, ALL)
    copy = WorkingCopy.open(address)
    uploader = Uploader(copy, Remote(address), "")
    late = record(copy)
    before = dict(late._latest)
    late.run(["Trainer"])
    (Path(late.uri(late.latest("Model"))) / "part-0").write_bytes(b"of the suspended machine")
    shutil.move(caches, caches.with_name("suspended"))
    # The other machine does not know of this run.
    late._latest.update(before)
    other = run(address, ["Trainer"])
    model = Path(other.uri(other.latest("Model")))
    shutil.rmtree(caches)
    shutil.move(caches.with_name("suspended"), caches)
    with pytest.raises(PipelineError, match="somebody else replaced the object"):
        uploader.upload(is_at_work=False)
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    check_out(copy, Remote(address))
    fetch(copy.root, [model])
    assert (model / "part-0").stat().st_size == 5000


def test_a_manifest_of_another_machine_is_not_overwritten(address: str) -> None:
    run(address, ALL)
    copy, remote = WorkingCopy.open(address), Remote(address)
    theirs = Manifest().with_new_token()
    remote.put(MANIFEST, theirs.to_bytes())
    record(copy).run(ALL)
    with pytest.raises(PipelineError, match="somebody else replaced the object during the run"):
        Uploader(copy, remote, "").upload(is_at_work=False)
    assert read_manifest(address) == theirs
