"""`make bench-engine` fails if a run on the cluster made something else."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine.equality import check_equality

METRICS: dict[str, dict[str, Any]] = {"": {"auc": 0.8, "pr_auc": None}, "cash": {"auc": 0.5}}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs with the same artifacts under different numbers."""
    runs = [tmp_path / "here", tmp_path / "there"]
    for number, run in enumerate(runs, start=1):
        for place in ("ExampleGen/examples", "Transform/transformed_examples"):
            split = run / f"artifacts/taxi/{place}/{number}/Split-train"
            split.mkdir(parents=True)
            (split / "0.parquet").write_bytes(b"rows")
    return runs


def find_broken(runs: list[Path], there: Any = METRICS) -> list[str]:
    return [c.what for c in check_equality("there", *runs, METRICS, there) if not c.held]


def test_equal_runs_pass(runs: list[Path]) -> None:
    assert find_broken(runs) == []


def test_the_order_of_additions_is_no_difference(runs: list[Path]) -> None:
    there = {"": {"auc": 0.8 * (1 + 4e-16), "pr_auc": None}, "cash": {"auc": 0.5}}
    assert find_broken(runs, there) == []


@pytest.mark.parametrize("change", ["other bytes", "a file more", "a file less"])
def test_each_difference_in_the_examples_fails(runs: list[Path], change: str) -> None:
    [file] = runs[1].glob("artifacts/taxi/Transform/*/2/Split-train/*")
    if change == "other bytes":
        file.write_bytes(b"sowr")
    elif change == "a file more":
        file.with_name("1.parquet").write_bytes(b"rows")
    else:
        file.unlink()
    assert find_broken(runs) == ["there: bytes of transformed_examples"]


@pytest.mark.parametrize(
    "there",
    [
        {"": {"auc": 0.80000001, "pr_auc": None}, "cash": {"auc": 0.5}},
        {"": {"auc": 0.8, "pr_auc": 0.1}, "cash": {"auc": 0.5}},
        {"": {"auc": 0.8, "pr_auc": None}},
        {},
    ],
)
def test_each_difference_in_the_metrics_fails(runs: list[Path], there: Any) -> None:
    assert find_broken(runs, there) == ["there: metrics"]
