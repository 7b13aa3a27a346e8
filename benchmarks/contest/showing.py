"""Shows the results: as tables of the terminal, and as Markdown for docs/quality.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table as Shown

from benchmarks.contest.metrics import METRICS
from benchmarks.contest.ours import NETWORK_ALONE, OURS, TREES_ALONE
from benchmarks.contest.results import Standing
from benchmarks.contest.rivals.roster import LIGHTGBM, RIVALS

_MODELS = (OURS, NETWORK_ALONE, TREES_ALONE, *RIVALS)
_OTHERS = _MODELS[1:]
_ABSENT = ""


@dataclass(frozen=True)
class Grid:
    """A table of texts."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_rich(self) -> Shown:
        """Returns the table for the terminal."""
        shown = Shown(*self.headings, box=None, title=self.title, title_justify="left")
        for row in self.rows:
            shown.add_row(*row)
        return shown

    def to_markdown(self) -> str:
        """Returns the table with its title as Markdown."""
        cells = [self.headings, ["---"] * len(self.headings), *self.rows]
        lines = [f"| {' | '.join(row)} |" for row in cells]
        return "\n".join([f"## {self.title}", "", *lines, ""])


def make_grids(results: Sequence[Mapping[str, Any]], standings: Sequence[Standing]) -> list[Grid]:
    """Returns scores, comparisons, seconds and standings."""
    return [
        Grid(
            "Scores",
            ("table", "for", "rows", "metric", *_MODELS),
            [row for result in results for row in _list_scores(result)],
        ),
        Grid(
            "How much better ours is: difference to LightGBM, and z against each other model",
            ("table", "for", "metric", "difference (95 %)", "", *_OTHERS, "trees, LightGBM"),
            [row for result in results for row in _list_comparisons(result)],
        ),
        Grid(
            "Seconds: our Trainers, the fits of rivals, and in brackets the trials of a search",
            ("table", "run", *_MODELS),
            [_list_seconds(result) for result in results],
        ),
        Grid(
            "Standings of ours",
            ("for", "by", "against", "tables", "ahead", "significantly", "level",
             "behind", "significantly", "z < -1"),
            [_list_standing(standing) for standing in standings],
        ),
    ]  # fmt: skip


def _list_scores(result: Mapping[str, Any]) -> list[list[str]]:
    scores = result["scores"]
    start = [result["table"], result["purpose"], f"{result['rows']:,}"]
    return [
        [*start, metric, *(_short(scores[n][metric]) if n in scores else _ABSENT for n in _MODELS)]
        for metric in scores[OURS]
    ]


def _list_comparisons(result: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for metric in METRICS[result["task"]]:
        pairs = result["better_than"][metric]
        found, trees = pairs[OURS][LIGHTGBM], pairs.get(TREES_ALONE, {}).get(LIGHTGBM)
        told = f"{_short(found['mean'])} ({_short(found['low'])} to {_short(found['high'])})"
        scores = [_show_z(pairs[OURS].get(other)) for other in _OTHERS]
        start = [result["table"], result["purpose"], metric, told, found["verdict"]]
        rows.append([*start, *scores, _show_z(trees)])
    return rows


def _list_seconds(result: Mapping[str, Any]) -> list[str]:
    seconds, first = result["seconds"], result["matches"][0]
    cells = [result["table"], f"{seconds['run']:.0f}"]
    for name in _MODELS:
        trials = first["searches"].get(name, {}).get("trials")
        told = f" ({trials})" if trials else ""
        cells.append(f"{seconds[name]:.1f}{told}" if name in seconds else _ABSENT)
    return cells


def _list_standing(standing: Standing) -> list[str]:
    counts = (
        standing.tables,
        standing.ahead,
        standing.significantly_ahead,
        standing.level,
        standing.behind,
        standing.significantly_behind,
        standing.far_behind,
    )
    return [standing.purpose, standing.by, standing.other, *map(str, counts)]


def _show_z(pair: Mapping[str, float] | None) -> str:
    return _ABSENT if pair is None else f"{pair['z']:+.1f}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
