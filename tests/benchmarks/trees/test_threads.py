"""The benchmark of LightGBM's threads measures each way of waiting."""

from __future__ import annotations

from benchmarks.trees.threads import measure


def test_each_way_of_waiting_is_measured() -> None:
    found = measure(rows=500, trees=2, rounds=1)
    assert {"as loaded here", "sleep at once", "OpenMP's default"} == set(found)
    assert all(milliseconds > 0 for milliseconds in found.values())
