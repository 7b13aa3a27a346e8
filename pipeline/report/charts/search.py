"""The chart and the table of a search for hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.core.events import SearchResults, TrialResult
from pipeline.report.charts.chart import Cell, Chart, Spec, names, plot, tips, y
from pipeline.report.words import number, setting, short

_MOST_VALUES = 20
"""Texts of a searched key that its axis shows."""


def search_chart(search: SearchResults) -> Chart | None:
    """Returns the finished trials as lines over one axis for each searched key."""
    trials = _finished(search)
    if len(trials) < 2:
        return None
    keys = list(dict.fromkeys(key for trial in trials for key in trial.values))
    axes = {key: _Axis([trial.values.get(key) for trial in trials]) for key in keys}
    objective = _Axis([trial.objective for trial in trials])
    rows = [row for trial in trials for row in _line(trial, axes, objective, search)]
    ends = [(short(k, 30), p, t) for k, a in axes.items() for p, t in a.labels]
    ends += [(search.objective, position, text) for position, text in objective.labels]
    best = next((t for t in trials if t.trial == search.best), trials[0])
    return Chart(
        title="Trials of the search",
        reading="Each line is a trial and crosses each axis at its value. The thick line is the "
        "best trial.",
        summary=f"Parallel coordinates of {len(trials)} trials over {len(keys)} searched keys. "
        f"The best trial is {best.trial}, with {short(search.objective)} "
        f"{number(best.objective)}.",
        fields={"trial": "Trial", "name": "Key", "text": "Value", "y": "Position", "best": "Best"},
        rows=rows,
        spec=_search_spec(len(axes) + 1),
        others={"ends": (("name", "y", "text"), ends)},
    )


def _finished(search: SearchResults) -> list[TrialResult]:
    return [t for t in search.trials if t.objective is not None and math.isfinite(t.objective)]


def _line(
    trial: TrialResult, axes: Mapping[str, _Axis], objective: _Axis, search: SearchResults
) -> Iterator[tuple[Cell, ...]]:
    best = "yes" if trial.trial == search.best else "no"
    for key, axis in axes.items():
        value = trial.values.get(key)
        yield trial.trial, short(key, 30), _text(value), axis.position(value), best
    value = trial.objective
    yield trial.trial, search.objective, _text(value), objective.position(value), best


class _Axis:
    """Positions from 0 to 1 for the values of one key: by size, or in the order of the texts."""

    def __init__(self, values: Sequence[Any]) -> None:
        numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
        self._is_number = len(numbers) == len(values)
        self._texts = sorted(set(map(_text, values)))
        self._low, self._high = (min(numbers), max(numbers)) if self._is_number else (0, 0)
        # A key that is searched on a log scale spans many powers of ten.
        self._is_log = self._is_number and self._low > 0 and self._high / self._low > 30

    def position(self, value: Any) -> float:
        """Returns the place of a value on the axis."""
        if not self._is_number:
            return self._texts.index(_text(value)) / max(len(self._texts) - 1, 1)
        low, high, value = map(math.log if self._is_log else float, (self._low, self._high, value))
        return 0.5 if low == high else (value - low) / (high - low)

    @property
    def labels(self) -> list[tuple[float, str]]:
        """The positions and texts that stand beside the axis."""
        if self._is_number:
            ends = dict.fromkeys((self._low, self._high))
            return [(self.position(end), number(end)) for end in ends]
        return [(self.position(text), short(text, 16)) for text in self._texts[:_MOST_VALUES]]


def _text(value: Any) -> str:
    return short(setting(value), 30)


def _search_spec(axes: int) -> Spec:
    # The names of more axes would cover each other.
    key = names(labelAngle=0 if axes <= 4 else -20, labelLimit=140, labelPadding=12)
    place = y("", scale={"domain": [0, 1]}, axis=None)
    rules = {
        "mark": {"type": "rule", "color": "var(--line)"},
        "encoding": {"x": key},
    }
    lines = {
        "mark": {"type": "line", "opacity": 0.75},
        "encoding": {
            "x": key,
            "y": place,
            "detail": {"field": "trial", "type": "nominal"},
            "color": {
                "field": "best",
                "type": "nominal",
                "scale": {"domain": ["yes", "no"], "range": ["var(--ink)", "var(--muted)"]},
                "legend": None,
            },
            "size": {
                "condition": {"test": {"field": "best", "equal": "yes"}, "value": 3},
                "value": 1.2,
            },
            "tooltip": tips(trial="Trial"),
        },
    }
    mark = {"type": "text", "align": "left", "dx": 6, "fontSize": 12, "color": "var(--ink)"}
    texts = {
        "data": {"name": "ends"},
        "mark": mark,
        "encoding": {"x": key, "y": place, "text": {"field": "text", "type": "nominal"}},
    }
    # A frame in the paper's colour keeps the lines away from the letters.
    halo = {**texts, "mark": {**mark, "stroke": "var(--paper)", "strokeWidth": 5}}
    return plot(280, rules, lines, halo, texts)


def searched_keys(search: SearchResults) -> list[str]:
    """Returns the keys that any trial tried."""
    return list(dict.fromkeys(key for trial in search.trials for key in trial.values))


def sorted_trials(search: SearchResults) -> list[TrialResult]:
    """Returns the trials, the best first, and those without a value last."""
    values = {
        t.trial: t.objective
        for t in search.trials
        if t.objective is not None and math.isfinite(t.objective)
    }
    best = values.get(search.best)
    is_lower_better = best is None or best <= min(v for v in values.values() if v is not None)

    def place(trial: TrialResult) -> tuple[bool, bool, float]:
        value = values.get(trial.trial)
        order = (value if is_lower_better else -value) if value is not None else 0.0
        return trial.trial != search.best, value is None, order

    return sorted(search.trials, key=place)
