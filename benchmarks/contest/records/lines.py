"""The file of finished matches: a line of JSON each. Several processes may append at the same time.

A line holds the scores of all models and the standard errors of their differences, from which
`summary` computes differences, intervals and z over seeds, without any prediction.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.contest.catalogue import Table
from benchmarks.contest.comparing import Bootstrap
from benchmarks.contest.match import Match, Plan
from benchmarks.contest.metrics import METRICS, measure
from benchmarks.contest.ours import NETWORK_ALONE, OURS, TREES_ALONE

Line = dict[str, Any]


class OtherPlanError(Exception):
    """A kept match cannot be shown beside those of this call."""


_DIGITS = 8
"""Significant digits: differences of scores are a hundredth of them, and shown with four digits."""


def make_line(table: Table, seed: int, plan: Plan, match: Match) -> Line:
    """Returns the line of a finished match."""
    task, results = match.facts["task"], match.results
    answers = {name: each.answers for name, each in results.items() if each.answers is not None}
    facts = dict(match.facts)
    seconds = {name: results[name].facts["seconds"] for name in answers}
    line = {
        "table": table.name,
        "seed": seed,
        "commit": plan.commit,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "settings": list(plan.settings),
        "budget": plan.budget,
        "threads": plan.threads,
        **facts,
        "seconds": {**facts["seconds"], **seconds},
        "cut": [name for name in answers if results[name].facts.get("is_cut")],
        "failed": {name: each.failure for name, each in results.items() if each.failure},
        "searches": {
            name: {key: each.facts.get(key) for key in ("trials", "settings")}
            for name, each in results.items()
            if "trials" in each.facts
        },
        "scores": {name: measure(task, match.labels, each) for name, each in answers.items()},
        "errors": {name: _find_errors(name, match.labels, answers) for name in METRICS[task]},
    }
    rounded: Line = _round(line)
    return rounded


def append_line(path: Path, line: Line) -> None:
    """Appends the line of a match; it counts in place of an earlier line of the same match."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        # A kill may have left a part of a line without its end.
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        is_torn = file.read(1) not in (b"", b"\n")
        file.write(b"\n" * is_torn + json.dumps(line, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_lines(path: Path) -> list[Line]:
    """Returns the newest line of each match, by table and seed. A torn line is left out."""
    found: dict[tuple[str, int], Line] = {}
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        found[line["table"], line["seed"]] = line
    return [found[key] for key in sorted(found)]


def check_plan(lines: Sequence[Line], plan: Plan) -> None:
    """Checks that all matches were played by the plan; their code may be another one.

    Raises:
      OtherPlanError: a match has other settings, another budget or other threads.
    """
    for line in lines:
        other = Plan(tuple(line["settings"]), line["budget"], line["threads"], plan.commit)
        if other != plan:
            match = f"{line['table']}, seed {line['seed']}"
            raise OtherPlanError(f"{match}: was played with {_describe_plan(other)}")


def _describe_plan(plan: Plan) -> str:
    words = [f"--set {setting}" for setting in plan.settings]
    words += [] if plan.budget is None else [f"--budget {plan.budget:g}"]
    return " ".join([*words, f"--threads {plan.threads}"])


def _find_errors(metric: str, labels: Any, answers: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Returns the errors of the differences between each of our models and all others."""
    bootstrap = Bootstrap(metric, labels, answers)
    return {
        ours: {other: bootstrap.find_error(ours, other) for other in answers if other != ours}
        for ours in (OURS, NETWORK_ALONE, TREES_ALONE)
        if ours in answers
    }


def _round(content: Any) -> Any:
    """Returns JSON content with shorter numbers."""
    if isinstance(content, float):
        return float(f"{content:.{_DIGITS}g}")
    if isinstance(content, dict):
        return {key: _round(value) for key, value in content.items()}
    if isinstance(content, Sequence) and not isinstance(content, str):
        return [_round(value) for value in content]
    return content
