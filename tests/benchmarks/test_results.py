"""Ratios, targets and failed checks of the benchmark, and its measured commands."""

import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.chart import write_chart
from benchmarks.floors import COLLAPSED, PROMISED, choose_floors
from benchmarks.growth import check_growth
from benchmarks.measuring.pairs import COMPONENTS, make_rows
from benchmarks.measuring.process import CommandError, Finished, run_command
from benchmarks.measuring.runs import PipelineRun
from benchmarks.measuring.starting import check_start
from benchmarks.report import print_results, write_json
from benchmarks.results import Check, Results, Row


def pipeline_run(seconds: float, total: float) -> PipelineRun:
    process = Finished(total, cpu_seconds=total, peak_rss=1000, awaited=1.0)
    return PipelineRun(Path(), process, dict.fromkeys(COMPONENTS, seconds), written=1000)


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    # The second pair met a slow machine: the ratio of the medians would be 12 / 4.
    row = Row.of_pairs("x", [(10, 2), (100, 25), (12, 4)])
    assert (row.stock, row.ours, row.ratio) == (12, 4, 4)


def test_a_ratio_below_its_floor_fails() -> None:
    slow, fast = (Row.of_pairs("x", [(10, ours)], at_least=4) for ours in (2.6, 2.5))
    results = Results()
    results.add_rows([slow, fast, Row.of_pairs("y", [(1, 100)])])
    assert [check.held for check in results.checks] == [False, True]
    assert [check.found for check in results.broken] == ["3.846, at least 4"]


def test_the_promised_floors_apply_from_a_million_rows_on() -> None:
    assert choose_floors(1_000_000) is PROMISED
    assert choose_floors(999_999) is COLLAPSED


def test_each_row_has_the_floor_of_its_component() -> None:
    pairs = [(pipeline_run(8, 70), pipeline_run(1, 10))]
    rows = {row.what: row for row in make_rows(pairs, 1_000_000, PROMISED)}
    assert {what for what, row in rows.items() if row.at_least} == set(PROMISED.ratios)
    # Eight times is not sixty times; the start of the process is no part of the work.
    assert {w for w, row in rows.items() if (c := row.check()) and not c.held} == {"ExampleGen"}
    assert rows["whole DAG"].ratio == pytest.approx(69 / 9)
    assert rows["rows a second"].ours == pytest.approx(1_000_000 / 9)


def test_a_slow_start_fails() -> None:
    figures = {
        "start/imports": 0.76,
        "cached run after its start": 2.1,
        "--help": 1.1,
        "wrong configuration": 0.9,
        "init": 5.0,
        "init of many rows": 31.0,
    }
    held = [check.held for check in check_start(figures, PROMISED)]
    assert held == [False, False, False, True, True, False]


def test_time_and_memory_of_ten_million_rows_are_bounded() -> None:
    small = {"seconds": 10.0, "peak bytes": 2e9}
    for seconds, peak, held in ((110, 4e9, [True, True]), (111, 4.1e9, [False, False])):
        large = {"seconds": float(seconds), "peak bytes": peak}
        checks = check_growth({1_000_000: small, 10_000_000: large})
        assert [check.held for check in checks] == held


def test_results_are_printed_and_written(tmp_path: Path) -> None:
    results = Results(facts={"rows": 50_000, "cpus": 2})
    results.add_rows([Row.of_pairs("Transform", [(10, 5)], at_least=4)])
    results.checks.append(Check("rows", True, "as many"))
    console = Console(width=100, record=True, file=(tmp_path / "out").open("w"))
    print_results(results, console)
    assert "Failed: Transform, stock/ours: 2, at least 4" in console.export_text()
    write_json(results, tmp_path / "results.json")
    written = json.loads((tmp_path / "results.json").read_text())
    assert written["held"] is False
    assert written["rows"][0]["ratio"] == 2
    write_chart(results, tmp_path / "results.svg")
    assert "Transform" in (tmp_path / "results.svg").read_text()


def test_a_command_is_measured_with_the_processes_it_starts(tmp_path: Path) -> None:
    child = "x = bytearray(200_000_000); import time; time.sleep(1)"
    finished = run_command(["sh", "-c", f"{sys.executable} -c '{child}'; true"], tmp_path / "log")
    assert finished.peak_rss > 200_000_000
    assert finished.seconds > 1


def test_the_error_of_a_failed_command_shows_its_output(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"exit code 3\nno luck"):
        run_command(["sh", "-c", "echo no luck; exit 3"], tmp_path / "log")


def test_a_measured_command_may_keep_compiled_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import sys; sys.exit(sys.dont_write_bytecode)"
    run_command([sys.executable, "-c", code], tmp_path / "log")
