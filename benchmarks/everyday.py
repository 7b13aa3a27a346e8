"""`python -m benchmarks.everyday`: runs of the sample, beside those of another commit.

Most runs are small, and fixed costs rule there: imports, tracing, processes. So this measures a run
of the sample with an empty output directory, then a run with another `training.epochs`. Both
commits use the environment of this one. This commit is measured twice: with a process of its own
for each run, and with the warm process of `--keep-warm`, which the first of both runs starts. The
runs take turns, so that other load slows down all. The least of several runs counts: other load
only adds time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.console import exit_with, make_console
from benchmarks.measuring.process import ROOT, Finished, run_command
from benchmarks.measuring.workload import PYTHON
from benchmarks.results import Check
from pipeline.core.contracts import Node, RunFile

_CONFIG = "configs/taxi.yaml"
_EPOCHS = 8
"""Of the second run; the configuration has 10."""
_STARTED = b'"running"'
"""Is among a run's events as soon as a component works, at every commit."""
_TARGETS = {
    "start to the first component": 0.5,
    "Transform": 0.5,
    "second run": 0.6,
}
"""The most seconds of this commit, as a share of the other commit's."""
_MOST_MEMORY = 1.1
_MOST_DIFFERENCE = 0.01
"""Of the AUC: two models of the same rows and settings differ by less."""

Figures = dict[str, float]


@dataclass(frozen=True)
class _Run:
    finished: Finished
    summary: Mapping[str, Any]

    def seconds_of(self, name: str) -> float:
        found = [c["seconds"] for c in self.summary["components"] if c["name"] == name]
        return float(found[0])


def measure_once(tree: Path, output: Path, *options: str) -> Figures:
    """Returns the seconds, peak memory and AUC of a first and a second run."""
    shutil.rmtree(output, ignore_errors=True)
    first = _run(tree, output, *options)
    second = _run(tree, output, *options, "--set", f"training.epochs={_EPOCHS}")
    assert first.finished.awaited is not None
    assert second.finished.awaited is not None
    return {
        "start to the first component": min(first.finished.awaited, second.finished.awaited),
        "Transform": first.seconds_of(Node.TRANSFORM),
        "first run": first.finished.seconds,
        "second run": second.finished.seconds,
        "peak memory, GB": max(first.finished.peak_rss, second.finished.peak_rss) / 1e9,
        "AUC": second.summary["metrics"][""]["auc"],
    }


def _measure_warm(output: Path) -> Figures:
    """Returns the same of this commit's runs with a warm process, which ends with them.

    The memory is that of the first run, and counts pages twice that both processes share.
    """
    try:
        return measure_once(ROOT, output, "--keep-warm", "1")
    finally:
        logs = "".join(log.read_text() for log in output.glob(f"logs/*/{RunFile.LOG}"))
        for pid in set(re.findall("fork of the warm process ([0-9]+)", logs)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)


def _run(tree: Path, output: Path, *options: str) -> _Run:
    before = set(output.glob("logs/*"))
    summary = output.with_suffix(".json")
    command = [PYTHON, "-m", "pipeline", "run", "--config", _CONFIG, *options]

    def has_started() -> bool:
        events = [path / RunFile.EVENTS for path in set(output.glob("logs/*")) - before]
        return any(path.exists() and _STARTED in path.read_bytes() for path in events)

    finished = run_command(
        [*command, "--output", str(output), "--json", str(summary)],
        output.with_suffix(".log"),
        awaited=has_started,
        directory=tree,
    )
    return _Run(finished, json.loads(summary.read_text(encoding="utf-8")))


def take_best(runs: Sequence[Figures]) -> Figures:
    """Returns the least of each figure."""
    return {name: min(figures[name] for figures in runs) for name in runs[0]}


def check_everyday(base: Figures, ours: Figures, which: str = "ours") -> Iterator[Check]:
    """Yields the checks of this commit's figures against the other commit's."""
    for name, target in _TARGETS.items():
        yield Check.at_most(f"{name}, {which}/base", ours[name] / base[name], target)
    name = "peak memory, GB"
    yield Check.at_most(f"{name}, {which}/base", ours[name] / base[name], _MOST_MEMORY)
    difference = abs(ours["AUC"] - base["AUC"])
    yield Check.at_most(f"difference of the AUC, {which}", difference, _MOST_DIFFERENCE)


@contextlib.contextmanager
def _checked_out(commit: str, directory: Path) -> Iterator[Path]:
    """Yields a work tree of the commit, and removes it afterwards."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--force", "--detach", str(directory), commit], check=True)
    try:
        yield directory
    finally:
        subprocess.run([*git, "remove", "--force", str(directory)], check=True)


def _make_table(best: Mapping[str, Figures], commit: str) -> Table:
    table = Table("what", box=None)
    for name in (commit, "this commit", "ratio", "warm", "ratio", "target"):
        table.add_column(name, justify="right")
    for name, value in best["base"].items():
        cells = [f"{value:.3g}"]
        for which in ("ours", "warm"):
            cells += [f"{best[which][name]:.3g}", f"{best[which][name] / value:.2f}"]
        table.add_row(name, *cells, f"{_TARGETS[name]:g}" if name in _TARGETS else "")
    return table


@click.command(context_settings={"show_default": True})
@click.option("--base", default="db1a488", help="Commit to compare with.")
@click.option("--repeats", default=3, help="Measurements of each.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench",
    help="Directory for the work tree and the runs.",
)
def main(base: str, repeats: int, directory: Path) -> None:
    """Measures runs of the sample, of this commit and of another one."""
    directory = directory.absolute() / "everyday"
    directory.mkdir(parents=True, exist_ok=True)
    console = make_console()
    runs: dict[str, list[Figures]] = {"base": [], "ours": [], "warm": []}
    with _checked_out(base, directory / "tree") as tree:
        for number in range(repeats):
            runs["base"].append(measure_once(tree, directory / "base"))
            runs["ours"].append(measure_once(ROOT, directory / "ours"))
            runs["warm"].append(_measure_warm(directory / "warm"))
            console.print(f"{number + 1} of {repeats} measurements done")
    (directory / "figures.json").write_text(json.dumps(runs, indent=1), encoding="utf-8")
    best = {name: take_best(figures) for name, figures in runs.items()}
    console.print(_make_table(best, base))
    checks = [check_everyday(best["base"], best[which], which) for which in ("ours", "warm")]
    exit_with([check for each in checks for check in each], console)


if __name__ == "__main__":
    sys.exit(main())
