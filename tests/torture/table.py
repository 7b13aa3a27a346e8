"""The results of rounds: a line of JSON each, and a table in Markdown."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from outcome import Round


def append_round(path: Path, result: Round) -> None:
    """Appends a line; the line of a repeated seed counts in place of the earlier one."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result.to_json()) + "\n")


def read_rounds(path: Path) -> list[dict[str, Any]]:
    """Returns the newest result of each seed, by seed. A torn last line is left out."""
    found = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        try:
            result = json.loads(line)
        except ValueError:
            continue
        found[result["plan"]["seed"]] = result
    return [found[seed] for seed in sorted(found)]


def write_table(results: Path, path: Path) -> None:
    """Writes the Markdown table of all rounds."""
    path.write_text(make_table(read_rounds(results)), encoding="utf-8")


def make_table(rounds: list[dict[str, Any]]) -> str:
    """Returns a table with a row for each injection: how often, how the runs ended, the faults."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in rounds:
        if not result["skipped"]:
            groups[_name_group(result)].append(result)
    lines = [
        "| injected | rounds | struck | exit codes of the run | next run ended with 0 | faults |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in sorted(groups):
        lines.append(_make_row(name, groups[name]))
    return "\n".join(lines) + "\n"


def _make_row(name: str, group: list[dict[str, Any]]) -> str:
    codes = Counter(str(result["code"]) for result in group)
    told = ", ".join(f"{code} ({count})" for code, count in codes.most_common())
    struck = sum(bool(result["place"]) or _is_always(result) for result in group)
    well = sum(result["next_code"] == 0 for result in group)
    faults = sum(bool(result["faults"]) for result in group)
    return f"| {name} | {len(group)} | {struck} | {told} | {well} | {faults} |"


def _name_group(result: dict[str, Any]) -> str:
    """A group of injections: signals by their target, the others by their kind."""
    plan = result["plan"]
    return f"{plan['signal']} to the {plan['target']}" if plan["kind"] == "signal" else plan["kind"]


def _is_always(result: dict[str, Any]) -> bool:
    return bool(result["plan"]["kind"] == "slow disk")
