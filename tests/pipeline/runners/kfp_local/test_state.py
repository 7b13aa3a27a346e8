"""The store of artifacts and cached executions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_pipeline import COMPONENTS, TASKS, run_command, write_pipeline

from pipeline.runners.kfp_local.state import Outputs, State


def spoil_header(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


def spoil_page(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"x" * (len(content) - 4096))


def spoil_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [spoil_header, spoil_page, spoil_by_directory])
def test_a_damaged_store_exits_with_2(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    file = write_pipeline(tmp_path / "pipeline.yaml", COMPONENTS, TASKS)
    assert run_command(file).exit_code == 0
    spoil(tmp_path / "runs/state.db")
    done = run_command(file)
    assert done.exit_code == 2, done.exception
    assert "state.db cannot be used" in done.stderr
    assert "remove it" in done.stderr


def test_the_last_execution_with_a_key_is_found(tmp_path: Path) -> None:
    state = State(tmp_path / "state.db")
    numbers = [state.add_artifact(f"s3://b/{name}", {"rows": 3}) for name in "ab"]
    for number in numbers:
        state.add_execution("small", "key", Outputs({"table": number}, {"size": 3}))
    assert state.find_cached("small", "key") == Outputs({"table": numbers[1]}, {"size": 3})
    assert state.find_cached("small", "other") is None
    assert state.find_cached("other", "key") is None


def test_an_artifact_is_named_by_its_number_and_has_no_type(tmp_path: Path) -> None:
    number = State(tmp_path / "state.db").add_artifact("s3://b/a", {"rows": 3})
    assert State(tmp_path / "state.db").artifact(number) == {
        "name": str(number),
        "type": {"instanceSchema": ""},
        "uri": "s3://b/a",
        "metadata": {"rows": 3},
    }
