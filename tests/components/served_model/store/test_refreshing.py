"""The copy of a serving directory is as its store is."""

from __future__ import annotations

from pathlib import Path

import pytest
from faulty_server import Fault, FaultyServer
from machines import push, read_served_graph

from components.served_model.pointer import read_pointer
from components.served_model.store.local_copy import LocalCopy
from components.served_model.store.refreshing import has_changed, refresh
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import Remote


def test_only_the_versions_that_a_run_compares_with_are_downloaded_and_only_once(
    one: str, two: str, faulty_server: FaultyServer
) -> None:
    first, second, third = push(one, "a"), push(one, "b"), push(one, "c")
    refresh(two)
    assert [len([*Path(two, v).iterdir()]) for v in (first, second, third)] == [0, 2, 2]
    faulty_server.requests.clear()
    refresh(two)
    assert [method for method, _ in faulty_server.requests] == ["HEAD"]


def test_a_cut_download_is_repeated(one: str, two: str, faulty_server: FaultyServer) -> None:
    push(one, "a")
    cut: set[str] = set()

    def cut_each_once(method: str, path: str) -> Fault:
        if method != "GET" or path in cut:
            return ""
        cut.add(path)
        return "cut"

    with faulty_server.failing(cut_each_once):
        refresh(two)
    assert cut
    assert read_served_graph(two) == "graph of a"


def test_an_object_that_somebody_changed_is_refused(one: str, two: str, address: str) -> None:
    version = push(one, "a")
    Remote(address).put(f"{version}/saved_model.pb", b"graph of b")
    with pytest.raises(PipelineError, match="is not the one that was uploaded"):
        refresh(two)
    assert read_pointer(two) is None


def test_a_directory_that_is_no_copy_stays_as_it_is(tmp_path: Path) -> None:
    refresh(str(tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_the_copy_of_an_empty_store_serves_nothing(one: str) -> None:
    refresh(one)
    assert read_pointer(one) is None


def test_only_the_served_version_is_downloaded_for_a_server_and_others_on_demand(
    one: str, two: str
) -> None:
    first, second = push(one, "a"), push(one, "b")
    refresh(two, "served")
    assert [len([*Path(two, version).iterdir()]) for version in (first, second)] == [0, 2]
    refresh(two, "served", [first])
    assert Path(two, first, "variables/variables.data").read_text() == "a" * 1000


def test_a_change_of_the_store_is_seen(one: str, two: str, address: str) -> None:
    push(one, "a")
    copy = LocalCopy(two, address)
    assert has_changed(copy)
    refresh(two)
    assert not has_changed(copy)
    push(one, "b")
    assert has_changed(copy)


def test_a_version_of_a_killed_push_gives_way_to_one_of_the_same_number(
    one: str, two: str, address: str
) -> None:
    refresh(two)
    version = push(one, "a")
    LocalCopy(two, address).mark_dirty()
    (Path(two) / version).mkdir()
    (Path(two) / version / "saved_model.pb").write_text("graph of b")
    refresh(two)
    assert read_served_graph(two) == "graph of a"


def test_a_removed_copy_of_a_version_is_downloaded_again_and_stays_on_the_store(
    one: str, two: str
) -> None:
    version = push(one, "a")
    for path in Path(one, version).glob("**/*.pb"):
        path.unlink()
    refresh(one)
    assert read_served_graph(one) == "graph of a"
    push(one, "b")
    refresh(two, "served", [version])
    assert Path(two, version, "saved_model.pb").read_text() == "graph of a"


def test_a_damaged_pointer_is_an_error_and_no_first_run(one: str, address: str) -> None:
    Remote(address).put("served.json", b"{")
    with pytest.raises(ConfigError, match=r"taxi/served\.json: damaged"):
        refresh(one)
