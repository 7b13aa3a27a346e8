"""A run holds its output on a store: one at a time, and the store is up to date."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from object_store import Bucket, Proxy
from outputs import ALL, become_new_machine, keys, record, run
from recorded_workspace import RecordedWorkspace

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.lock import lock_directory
from pipeline.runners.workspace.on_store import session
from pipeline.runners.workspace.on_store.errors import NotUploadedError
from pipeline.runners.workspace.on_store.manifest import MANIFEST, Manifest
from pipeline.runners.workspace.on_store.session import hold_output, refresh
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy
from pipeline.runners.workspace.places import Workspace, locate_output


def test_runs_of_several_machines_continue_each_other(address: str, caches: Path) -> None:
    artifacts = len(run(address, ALL).graph().artifacts)
    become_new_machine(caches)
    run(address, ["Trainer"])
    become_new_machine(caches)
    refresh(copy := WorkingCopy.open(address))
    third = RecordedWorkspace(copy.root)
    assert len(third.graph().artifacts) == artifacts + 1
    assert len(third.workspace.run_directories()) == 2


def test_a_second_machine_is_refused_while_a_run_works(address: str, caches: Path) -> None:
    copy, other = WorkingCopy.open(address), WorkingCopy(caches / "other", address)
    with hold_output(copy, ""):
        refused = pytest.raises(ConfigError, match="another run is at work here")
        with refused, hold_output(other, ""):
            pass
    with hold_output(copy, ""):
        pass


def has_artifact(address: str, component: str) -> bool:
    """Whether the store lists an artifact of the component."""
    found = Remote(address).read(MANIFEST)
    units = Manifest.parse(found[0], address).units if found else ()
    return any(f"/{component}/" in unit for unit in units)


def wait_for_artifact(address: str, component: str) -> None:
    for _ in range(200):
        time.sleep(0.05)
        if has_artifact(address, component):
            return
    raise AssertionError(f"the store has no artifact of {component}")


@pytest.mark.parametrize("place", ["", "runs/shop"])
def test_places_with_other_objects_are_refused(bucket: Bucket, caches: Path, place: str) -> None:
    bucket.put("runs/shop/table.csv", b"a,b")
    copy = WorkingCopy.open(bucket.url(place).rstrip("/"))
    words = "holds other objects, such as 'table.csv'" if place else "a whole bucket"
    with pytest.raises(ConfigError, match=words), hold_output(copy, ""):
        pass
    assert keys(bucket) == {"table.csv"}


def test_a_component_is_on_the_store_as_soon_as_it_has_ended(
    address: str, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(session, "_UPLOAD_SECONDS", 0.05)
    copy = WorkingCopy.open(address)
    with hold_output(copy, ""):
        record(copy).run(["ExampleGen", "Trainer", "Pusher"])
        wait_for_artifact(address, "Pusher")
        assert has_artifact(address, "Trainer")


def test_what_a_failed_context_left_is_uploaded_too(address: str, bucket: Bucket) -> None:
    copy = WorkingCopy.open(address)

    def fail() -> None:
        with hold_output(copy, ""):
            record(copy).run(ALL)
            raise ValueError("the run failed")

    with pytest.raises(ValueError, match="the run failed"):
        fail()
    assert MANIFEST in keys(bucket)


def test_a_store_that_fails_at_the_end_is_named_and_the_next_run_uploads(
    address: str, bucket: Bucket, proxy: Proxy
) -> None:
    copy = WorkingCopy.open(address)

    def lose_credentials() -> None:
        with hold_output(copy, ""):
            record(copy).run(ALL)
            proxy.methods, proxy.forever = ("PUT",), "403"

    with pytest.raises(PipelineError, match=f"not all files of the run are on {address}") as caught:
        lose_credentials()
    assert str(copy.root) in caught.value.hint
    assert MANIFEST not in keys(bucket)
    proxy.forever = ""
    run(address)
    assert has_artifact(address, "Trainer")


def test_a_reader_of_an_empty_address_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match="no run has written there"):
        refresh(WorkingCopy.open(address))


def test_a_reader_does_not_disturb_a_run_of_this_machine(address: str) -> None:
    recorded = run(address, ALL)
    copy = WorkingCopy.open(address)
    with lock_directory(copy.root, "--output"):
        recorded.run(["Trainer"])
        refresh(copy)
        assert len(recorded.workspace.run_directories()) == 2


def test_the_serving_directory_of_the_last_run_is_known_on_each_machine(
    address: str, caches: Path
) -> None:
    run(address, ALL, serving="s3://bucket/models")
    become_new_machine(caches)
    assert refresh(WorkingCopy.open(address)) == "s3://bucket/models"


def test_the_directory_of_a_working_copy_stands_for_its_address(address: str) -> None:
    recorded = run(address, ALL)
    workspace = Workspace(recorded.root, recorded.root / "serving", "", address)
    assert locate_output(recorded.root) == (recorded.root, address)
    other = WorkingCopy(recorded.root.with_name("other"), address)
    with workspace.lock():
        refused = pytest.raises(ConfigError, match="another run is at work here")
        with refused, hold_output(other, ""):
            pass


def test_runs_below_another_path_are_refused_and_delete_nothing(
    address: str, bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(address, ALL)
    before = keys(bucket)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    copy = WorkingCopy.open(address)
    with pytest.raises(ConfigError, match="its runs work in") as caught, hold_output(copy, ""):
        pass
    assert f"set XDG_CACHE_HOME={tmp_path / 'caches'}" in caught.value.hint
    assert keys(bucket) == before
    assert refresh(copy) == ""


def test_a_run_that_was_refused_before_its_first_component_binds_no_later_run_to_its_path(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(address)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    recorded = run(address, ALL)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    refused = pytest.raises(ConfigError, match=f"its runs work in {recorded.root}")
    with refused, hold_output(WorkingCopy.open(address), ""):
        pass


@pytest.mark.parametrize("serving", ["runs/shop/logs/models", "runs/shop", "runs"])
def test_a_serving_directory_among_the_files_of_runs_is_refused(
    address: str, bucket: Bucket, serving: str
) -> None:
    copy = WorkingCopy.open(address)
    with (
        pytest.raises(ConfigError, match=r"serving\.directory: .* lies in --output"),
        hold_output(copy, bucket.url(serving)),
    ):
        pass
    with hold_output(copy, f"{address}/serving"):
        pass


def test_a_run_is_interrupted_when_another_machine_takes_the_output_over(
    address: str, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.05)
    copy = WorkingCopy.open(address)

    def be_overtaken() -> None:
        with hold_output(copy, ""):
            record(copy).run(ALL)
            bucket.put("runs/shop/.owner", b'{"token": "other"}')
            for _ in range(600):
                time.sleep(0.1)

    with pytest.raises(NotUploadedError, match="another run has taken the output over"):
        be_overtaken()


def test_a_failed_upload_is_repeated_before_the_next_component_ends(
    address: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(session, "_UPLOAD_SECONDS", 0.05)
    copy = WorkingCopy.open(address)
    with hold_output(copy, ""):
        proxy.methods, proxy.forever = ("PUT",), "403"
        record(copy).run(ALL)
        time.sleep(1)
        proxy.forever = ""
        wait_for_artifact(address, "Pusher")


def test_a_run_on_another_machine_is_at_work(address: str, caches: Path) -> None:
    copy = WorkingCopy.open(address)
    workspace = Workspace(caches / "other", caches / "other/serving", "", address)
    with hold_output(copy, ""):
        assert workspace.is_locked()
    assert not workspace.is_locked()


def test_two_readers_wait_for_each_other(address: str, caches: Path) -> None:
    run(address, ALL)
    become_new_machine(caches)
    copy = WorkingCopy.open(address)
    with ThreadPoolExecutor() as pool:
        done = [pool.submit(refresh, copy) for _ in range(4)]
        assert [one.result() for one in done] == [""] * 4
    assert len(record(copy).workspace.run_directories()) == 1
