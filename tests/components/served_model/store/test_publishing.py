"""What is pushed on one machine is served on another one, whatever fails between."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from faulty_server import Fault, FaultyServer
from machines import list_keys, list_numbers, push, push_locked, read_served_graph

from components.served_model.changes import read_changes
from components.served_model.lock import lock_serving
from components.served_model.pointer import read_pointer
from components.served_model.store import publishing
from components.served_model.store.local_copy import LocalCopy
from components.served_model.store.refreshing import refresh
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import Remote


def test_another_machine_serves_what_was_pushed(one: str, two: str, address: str) -> None:
    version = push(one, "a")
    refresh(two)
    assert read_served_graph(two) == "graph of a"
    served = read_pointer(two)
    assert served is not None
    assert Path(served.served_schema, "schema.pbtxt").read_text() == "schema"
    assert [c.version for c in read_changes(two).entries] == [version]
    assert not [key for key in list_keys(address) if key.startswith(".pending")]


def test_a_push_after_the_push_of_another_machine_keeps_its_version(
    one: str, two: str, address: str
) -> None:
    first, second = push(one, "a"), push(two, "b")
    refresh(one)
    assert read_served_graph(one) == "graph of b"
    assert list_numbers(address) == {first, second}


def test_a_removed_version_is_removed_from_the_store_and_from_other_copies(
    one: str, two: str, address: str
) -> None:
    first = push(one, "a")
    refresh(two)
    for content in ("b", "c", "d"):
        push(one, content, keep=1)
    assert first not in list_numbers(address)
    refresh(two)
    assert not Path(two, first).exists()


def test_of_two_pushes_at_once_the_later_one_fails_and_leaves_nothing(
    one: str, two: str, address: str
) -> None:
    first = push(one, "a")
    winners: list[str] = []

    def push_too_late() -> None:
        with lock_serving(one):
            push_locked(one, "loser")
            winners.append(push(two, "winner"))

    with pytest.raises(ConfigError, match="another run, promote or rollback changed") as caught:
        push_too_late()
    assert f"version {winners[0]} is served there now" in str(caught.value)
    assert read_served_graph(one) == "graph of winner"
    assert list_numbers(address) == {first, *winners}
    assert not [key for key in list_keys(address) if key.startswith(".pending")]


def test_a_push_that_is_overtaken_after_its_upload_leaves_nothing(
    one: str, two: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = push(one, "a")
    upload = publishing._upload
    winners: list[str] = []

    def overtake(copy: LocalCopy, remote: Remote, paths: list[str]) -> None:
        upload(copy, remote, paths)
        monkeypatch.setattr(publishing, "_upload", upload)
        winners.append(push(two, "winner"))

    monkeypatch.setattr(publishing, "_upload", overtake)
    with pytest.raises(ConfigError, match="another run, promote or rollback changed"):
        push(one, "loser")
    assert read_served_graph(one) == "graph of winner"
    assert list_numbers(address) == {first, *winners}
    assert not [key for key in list_keys(address) if key.startswith(".pending")]


def test_a_push_that_lost_to_the_removal_of_all_versions_says_that_nothing_is_served(
    one: str, address: str
) -> None:
    push(one, "a")

    def push_too_late() -> None:
        with lock_serving(one):
            push_locked(one, "loser")
            Remote(address).remove(["served.json"])

    with pytest.raises(ConfigError, match="nothing is served there now"):
        push_too_late()


def test_a_path_that_a_person_corrected_on_the_store_is_kept(one: str, address: str) -> None:
    push(one, "a")
    remote = Remote(address)
    found = remote.read("models.config")
    assert found is not None
    corrected = re.sub(rb'base_path: "[^"]*"', b'base_path: "/models/of/the/server"', found[0])
    assert corrected != found[0]
    remote.put("models.config", corrected)
    push(one, "b")
    again = remote.read("models.config")
    assert again is not None
    assert b"/models/of/the/server" in again[0]


def test_a_push_never_touches_the_version_that_another_one_published_under_its_number(
    one: str, two: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A number is the second of its push.
    monkeypatch.setattr("components.pusher.versions.time.time", lambda: 2_000_000_000)
    winners: list[str] = []

    def push_too_late() -> None:
        with lock_serving(one):
            assert push_locked(one, "loser") == "2000000000"
            winners.append(push(two, "winner"))

    with pytest.raises(ConfigError, match="another run, promote or rollback changed"):
        push_too_late()
    assert winners == ["2000000000"]
    assert read_served_graph(one) == "graph of winner"
    assert Remote(address).read("2000000000/saved_model.pb") is not None
    assert not [key for key in list_keys(address) if key.startswith(".pending")]


def test_pushes_from_two_machines_in_turn_never_lose_a_change(one: str, two: str) -> None:
    lost: list[str] = []

    def push_often(machine: str, name: str) -> None:
        for number in range(4):
            try:
                push(machine, f"{name}{number}", keep=20)
            except ConfigError:
                lost.append(f"{name}{number}")

    threads = [
        threading.Thread(target=push_often, args=(machine, name))
        for machine, name in ((one, "x"), (two, "y"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refresh(one)
    refresh(two)
    entries = read_changes(one).entries
    assert len(entries) == 8 - len(lost)
    assert entries == read_changes(two).entries
    assert [change.before for change in entries] == ["", *(c.version for c in entries[:-1])]


def test_a_failure_in_the_context_changes_neither_store_nor_copy(one: str, address: str) -> None:
    version = push(one, "a")
    before = list_keys(address)

    def fail_after_a_push() -> None:
        with lock_serving(one):
            push_locked(one, "b")
            raise KeyError

    with pytest.raises(KeyError):
        fail_after_a_push()
    served = read_pointer(one)
    assert served is not None
    assert served.version == version
    assert list_keys(address) == before
    assert [path.name for path in Path(one).iterdir() if path.name.isdigit()] == [version]


def test_a_store_that_fails_for_good_leaves_the_former_version(
    one: str, two: str, faulty_server: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(one, "a")

    def fail(self: Remote, path: Path, key: str) -> None:
        raise PipelineError("the store failed again and again")

    with monkeypatch.context() as patched:
        # The client goes on for minutes before it gives up.
        patched.setattr(Remote, "upload", fail)
        with pytest.raises(PipelineError, match="again and again"):
            push(one, "b")
    for machine in (one, two):
        refresh(machine)
        assert read_served_graph(machine) == "graph of a"
    push(one, "c")
    assert read_served_graph(one) == "graph of c"


def test_refused_requests_are_repeated(one: str, two: str, faulty_server: FaultyServer) -> None:
    seen: set[tuple[str, str]] = set()

    def refuse_each_once(method: str, path: str) -> Fault:
        is_new = (method, path) not in seen
        seen.add((method, path))
        return "refuse" if is_new else ""

    with faulty_server.failing(refuse_each_once):
        push(one, "a")
    with faulty_server.failing(refuse_each_once):
        refresh(two)
    assert read_served_graph(two) == "graph of a"


def test_a_put_whose_answer_was_lost_is_no_lost_race(
    one: str, two: str, faulty_server: FaultyServer
) -> None:
    push(one, "a")
    answered: set[str] = set()

    def lose_each_answer_once(method: str, path: str) -> Fault:
        if method != "PUT" or path in answered:
            return ""
        answered.add(path)
        return "lose answer"

    with faulty_server.failing(lose_each_answer_once):
        push(one, "b")
    assert any(path.endswith("served.json") for path in answered)
    assert any(".pending" in path for path in answered)
    refresh(two)
    assert read_served_graph(two) == "graph of b"


def _push_and_hang(serving: str, content: str) -> None:
    os.setsid()
    push(serving, content)


def kill_a_push(
    machine: str, faulty_server: FaultyServer, hang: Callable[[str, str], Fault]
) -> None:
    """Kills a process that pushes, at a request that hangs."""
    faulty_server.is_hanging.clear()
    with faulty_server.failing(hang):
        process = multiprocessing.get_context("spawn").Process(
            target=push, args=(machine, "killed")
        )
        process.start()
        assert faulty_server.is_hanging.wait(120)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()


@pytest.mark.slow
@pytest.mark.parametrize("last", ["variables.data", "served.json"])
def test_a_kill_in_a_push_leaves_the_former_version_and_the_next_push_cleans_up(
    one: str, two: str, faulty_server: FaultyServer, address: str, last: str
) -> None:
    first = push(one, "a")
    kill_a_push(
        one,
        faulty_server,
        lambda method, path: "hang" if (method, path[-len(last) :]) == ("PUT", last) else "",
    )
    refresh(two)
    assert read_served_graph(two) == "graph of a"
    left = [key for key in list_keys(address) if key.startswith(".pending/")]
    assert len(left) == 1

    # The copy of the killed process names the killed version until its next use.
    refresh(one)
    assert read_served_graph(one) == "graph of a"
    third = push(two, "c")
    assert list_numbers(address) == {first, third}
    assert third not in left[0]


@pytest.mark.slow
def test_a_kill_after_the_pointer_leaves_the_new_version_and_the_next_push_tidies_up(
    one: str, two: str, faulty_server: FaultyServer, address: str
) -> None:
    push(one, "a")
    # The first removal is that of the mark.
    kill_a_push(
        one, faulty_server, lambda method, path: "hang" if method in ("POST", "DELETE") else ""
    )
    refresh(two)
    assert read_served_graph(two) == "graph of killed"
    refresh(one)
    assert read_served_graph(one) == "graph of killed"
    push(two, "c")
    assert len(list_numbers(address)) == 3
