"""Shows the results: as tables of the terminal, and as Markdown for docs/quality.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from rich.table import Table as Shown

from benchmarks.contest.comparing import Difference
from benchmarks.contest.metrics import METRICS
from benchmarks.contest.ours import NETWORK_ALONE, OURS, TREES_ALONE
from benchmarks.contest.results import Standing, TableResult, count_standings
from benchmarks.contest.rivals.roster import LIGHTGBM, RIVALS

_MODELS = (OURS, NETWORK_ALONE, TREES_ALONE, *RIVALS)
_OTHERS = _MODELS[1:]
_ABSENT = "-"


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
        return "\n".join([f"### {self.title}", "", *lines, ""])


def make_grids(results: Sequence[TableResult]) -> list[Grid]:
    """Returns scores, comparisons, seconds and standings."""
    return [
        Grid(
            "Scores",
            ("table", "for", "rows", "seeds", "commit", "metric", *_MODELS),
            [row for result in results for row in _list_scores(result)],
        ),
        Grid(
            "How much better ours is: difference to LightGBM, and z against each other model",
            ("table", "for", "metric", "difference (95 %)", "", *_OTHERS, "trees, LightGBM"),
            [row for result in results for row in _list_comparisons(result)],
        ),
        Grid(
            "Seconds, and in brackets the trials of a search",
            ("table", "init", "run", *_MODELS),
            [_list_seconds(result) for result in results],
        ),
        Grid(
            "Standings of ours",
            ("for", "by", "against", "tables", "ahead", "significantly", "level",
             "significantly behind", "behind", "z < -1"),
            [_list_standing(standing) for standing in count_standings(results, _OTHERS)],
        ),
    ]  # fmt: skip


def list_failures(results: Sequence[TableResult]) -> list[str]:
    """Returns a sentence for each failed rival."""
    return [
        f"{model} failed on {result.table.name}, seed {line['seed']}: {reason}"
        for result in results
        for line in result.lines
        for model, reason in line["failed"].items()
    ]


def _list_scores(result: TableResult) -> list[list[str]]:
    seeds = ", ".join(str(line["seed"]) for line in result.lines)
    start = [result.table.name, result.table.purpose, f"{result.rows:,}"]
    start += [seeds, ", ".join(result.commits)]
    metrics = result.list_scores(OURS)[0]
    return [
        [*start, metric, *(_show_score(result, n, metric) for n in _MODELS)] for metric in metrics
    ]


def _show_score(result: TableResult, model: str, metric: str) -> str:
    """Returns the mean over seeds, and tells if the model lacks seeds that ours has."""
    mean, failures = result.average(model, metric), result.count_failures(model)
    if mean is None:
        return "failed" if failures else _ABSENT
    seeds, all_seeds = len(result.list_scores(model)), len(result.lines)
    if seeds == all_seeds:
        return _short(mean)
    return f"{_short(mean)} ({seeds} of {all_seeds} seeds{', failed' if failures else ''})"


def _list_comparisons(result: TableResult) -> list[list[str]]:
    rows = []
    for metric in METRICS[result.task]:
        found = result.compare(metric, OURS, LIGHTGBM)
        told = [_ABSENT, _ABSENT] if found is None else [_show_interval(found), found.verdict]
        scores = [_show_z(result.compare(metric, OURS, other)) for other in _OTHERS]
        trees = _show_z(result.compare(metric, TREES_ALONE, LIGHTGBM))
        rows.append([result.table.name, result.table.purpose, metric, *told, *scores, trees])
    return rows


def _show_interval(found: Difference) -> str:
    return f"{_short(found.mean)} ({_short(found.low)} to {_short(found.high)})"


def _list_seconds(result: TableResult) -> list[str]:
    return [
        result.table.name,
        *(_show_seconds(result, each, ".0f") for each in ("init", "run")),
        *(_show_seconds(result, each, ".1f") for each in _MODELS),
    ]


def _show_seconds(result: TableResult, what: str, form: str) -> str:
    """Returns the mean seconds; `cut` where the time was over in at least one seed."""
    seconds = result.average_seconds(what)
    if seconds is None:
        return _ABSENT
    searches = [line["searches"][what] for line in result.lines if what in line["searches"]]
    trials = f" ({', '.join(str(each['trials']) for each in searches)})" if searches else ""
    is_cut = any(what in line["cut"] for line in result.lines)
    return f"{seconds:{form}}{trials}{' cut' if is_cut else ''}"


def _list_standing(standing: Standing) -> list[str]:
    return [str(value) for value in astuple(standing)]


def _show_z(pair: Difference | None) -> str:
    return _ABSENT if pair is None else f"{pair.z:+.1f}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
