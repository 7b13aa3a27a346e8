"""The processors of this process."""

import os

import pytest

from pipeline.core import processes as cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="macOS binds no process")
def test_cores_are_those_it_may_run_on(tmp_path, monkeypatch):
    before = os.sched_getaffinity(0)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cores.available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert cores.available_cores() == len(before)


@pytest.mark.parametrize(
    ("quota", "expected"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", None)]
)
def test_a_container_is_given_time_for_no_more(quota, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "cpu.max")
    (tmp_path / "cpu.max").write_text(quota + "\n")
    assert cores.available_cores() == (expected or len(os.sched_getaffinity(0)))
