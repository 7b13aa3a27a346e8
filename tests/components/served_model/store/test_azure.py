"""Pushes to Azure's protocol, against Azurite where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import list_keys, list_numbers, make_machine, push, push_locked, read_served_graph

from components.served_model.lock import lock_serving
from components.served_model.store.checking import check_store
from components.served_model.store.refreshing import refresh
from pipeline.core.errors import ConfigError
from tests.pipeline.core.stores.test_other_providers import Put, azure

__all__ = ["azure"]


def test_two_machines_push_to_one_container(azure: tuple[str, Put], tmp_path: Path) -> None:
    address = f"{azure[0]}/models/taxi"
    check_store(address)
    one, two = (make_machine(tmp_path / name / "serving", address) for name in ("one", "two"))
    push(one, "a")
    push(one, "b")
    refresh(two)
    assert read_served_graph(two) == "graph of b"

    def push_too_late() -> None:
        with lock_serving(one):
            push_locked(one, "loser")
            push(two, "winner")

    with pytest.raises(ConfigError, match="another run, promote or rollback changed"):
        push_too_late()
    assert read_served_graph(one) == "graph of winner"
    assert push(one, "c") in list_numbers(address)
    assert not [key for key in list_keys(address) if key.startswith(".pending")]
