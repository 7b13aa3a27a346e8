"""`make bench` and `make bench-scaling` on a small table.

Results are equal, and no ratio is far below its target.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ROWS = 20_000

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table and the runs, which both benchmarks use."""
    return tmp_path_factory.mktemp("bench")


def make(target: str, directory: Path, *arguments: str) -> str:
    """Runs a target, and returns what it prints."""
    words = " ".join(("--directory", str(directory), *arguments))
    done = subprocess.run(
        ["make", target, f"ROWS={ROWS}", f"ARGUMENTS={words}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_results(path: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert results["held"] is True
    return results


def test_a_small_table_is_measured_with_both_pipelines(directory: Path) -> None:
    output = make("bench", directory, "--repeats 1")
    results = read_results(directory / "results.json")
    rows = {row["what"]: row for row in results["rows"]}
    for component in ("ExampleGen", "StatisticsGen", "Transform", "Trainer", "Evaluator"):
        assert rows[component]["stock"] > 0.1
        assert 0 < rows[component]["ours"] < rows["whole DAG"]["ours"]
    assert rows["peak memory"]["ours"] > 300
    checks = {check["what"]: check for check in results["checks"]}
    assert (
        sum(int(checks[f"rows of {s}"]["found"].split()[0]) for s in ("train", "eval", "test"))
        == ROWS
    )
    for equality in ("statistics of train", "metrics of one model by both Evaluators"):
        assert checks[equality]["held"]
    assert (directory / "results.svg").stat().st_size > 1000
    assert "stock/ours" in output


def test_a_small_table_is_fitted_with_one_and_with_two_workers(directory: Path) -> None:
    """The run of the test above is found in the cache."""
    output = make("bench-scaling", directory)
    figures = read_results(directory / "scaling.json")["figures"]
    assert {"taxi model", "network of init"} <= set(figures["trainings"])
    if figures["link"] == "measured":
        assert "taxi model over the link" in figures["trainings"]
    else:
        assert f"Without the trainings over a slow link: {figures['link']}" in output
    for training in figures["trainings"].values():
        speeds = training["examples a second"]["1024"]
        assert sorted(speeds) == ["1", "2"]
        assert min(speeds.values()) > 100
        assert training["weights"] > 1000
        assert 0 < training["exchanging"] < 1000
        assert 0 < training["computing"]["1024"] < 1000
    for feed in figures["input"]["512"].values():
        assert feed["bytes a second"] > feed["examples a second"] > 1000
    assert figures["supervisor"]["seconds"] > 10
    assert "2 workers" in output
    assert "waiting" in output
    assert "Commit " in output
