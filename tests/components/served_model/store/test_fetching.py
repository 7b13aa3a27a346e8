"""Versions that are not served, and their sizes."""

from __future__ import annotations

from pathlib import Path

from machines import push

from components.served_model.store.fetching import fetch_version, measure_unit
from components.served_model.store.refreshing import refresh


def test_an_older_version_is_downloaded_on_demand(one: str, two: str) -> None:
    first = push(one, "a")
    push(one, "b")
    refresh(two, "served")
    assert not Path(two, first, "saved_model.pb").exists()
    assert measure_unit(two, first) == 1010
    fetch_version(two, first)
    assert Path(two, first, "saved_model.pb").read_text() == "graph of a"
    assert Path(two, ".reference", first, "schema/schema.pbtxt").read_text() == "schema"


def test_a_directory_without_a_store_stays_as_it_is(tmp_path: Path) -> None:
    fetch_version(str(tmp_path), "1")
    assert measure_unit(str(tmp_path), "1") is None
    assert [*tmp_path.iterdir()] == []


def test_a_copy_that_has_never_seen_its_store_has_no_version_to_fetch(one: str) -> None:
    fetch_version(one, "1")
    assert measure_unit(one, "1") is None
    assert not Path(one, "1").exists()
