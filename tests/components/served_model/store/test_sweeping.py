"""What killed and overtaken pushes leave is removed, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from machines import list_keys, list_numbers, push, push_locked

from components.served_model.lock import lock_serving
from components.served_model.store import sweeping
from components.served_model.store.local_copy import LocalCopy
from components.served_model.store.pending import list_pending, make_key, reserve
from components.served_model.store.refreshing import read_store
from components.served_model.store.sweeping import sweep
from pipeline.core.errors import ConfigError
from pipeline.core.stores.remote import Remote


def read_token(machine: str, address: str) -> str:
    """Returns the token of the snapshot that a machine has seen last."""
    seen = LocalCopy(machine, address).read_seen_in_use()
    assert seen is not None
    return seen.snapshot.token


def test_a_push_that_hangs_for_long_can_do_no_harm_later(one: str, two: str, address: str) -> None:
    first = push(one, "a")
    remote = Remote(address)
    numbers: list[str] = []

    def push_slowly() -> None:
        with lock_serving(one):
            slow = push_locked(one, "slow")
            # What the slow push does before its pointer.
            reserve(remote, [slow], "its token", read_token(one, address))
            remote.put(f"{slow}/variables/variables.data", b"early")
            fast = push(two, "fast")
            assert list_numbers(address) == {first, fast}
            assert make_key(slow) in list_keys(address)
            remote.put(f"{slow}/variables/late", b"late")
            numbers.append(slow)

    with pytest.raises(ConfigError):
        push_slowly()
    assert int(push(two, "next")) > int(numbers[0])
    assert numbers[0] not in list_numbers(address)


def test_the_files_of_a_push_that_may_still_publish_stay(one: str, two: str, address: str) -> None:
    push(one, "a")
    remote = Remote(address)
    version = str(int(push(two, "b")) + 1000)
    # As if this push had begun after the last one: it knows its token.
    reserve(remote, [version], "other", read_token(two, address))
    remote.put(f"{version}/saved_model.pb", b"begun")
    sweep(remote, read_store(remote).snapshot)
    assert version in list_numbers(address)


def test_schemas_and_candidates_of_removed_versions_are_removed(one: str, address: str) -> None:
    push(one, "a")
    before, remote = list_keys(address), Remote(address)
    for key in (".reference/1/schema/schema.pbtxt", ".waiting/2/model/saved_model.pb"):
        remote.put(key, b"left")
    sweep(remote, read_store(remote).snapshot)
    assert list_keys(address) == before


def test_only_an_old_mark_of_a_push_that_cannot_publish_is_removed(
    one: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(one, "a")
    remote, published = Remote(address), read_store(Remote(address)).snapshot
    reserve(remote, ["1"], "killed", "an earlier token")
    reserve(remote, ["2"], "at work", published.token)
    sweep(remote, published)
    assert list_pending(remote) == ["1", "2"]
    # As if both marks had been made long ago.
    monkeypatch.setattr(sweeping, "_STALE", timedelta(minutes=-1))
    sweep(remote, published)
    assert list_pending(remote) == ["2"]


def test_other_objects_of_a_person_stay(one: str, address: str) -> None:
    push(one, "a")
    Remote(address).put("README.md", b"ours")
    push(one, "b")
    assert "README.md" in list_keys(address)
    assert (
        Path(one, "models.config").read_bytes()
        == (Remote(address).read("models.config") or b" ")[0]
    )
