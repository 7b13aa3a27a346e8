"""Charts of the fit and of the search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.core.events import SearchResults, TrialResult
from pipeline.report.charts.chart import Cell, Chart, Spec, colour, names, plot, tips, x, y
from pipeline.report.content import Epoch, TrainingPart
from pipeline.report.words import number, setting, short

_NOT_METRICS = {
    "learning_rate": "learning rate",
    "examples_per_second": "examples a second",
    "seconds": "",
}
"""Measures of an epoch with a chart of their own, by its title; empty for none."""
_EVAL = "eval_"
_MOST_POINTS = 60
"""Epochs up to which each one has a point: more points would hide the line."""
_MOST_VALUES = 20
"""Texts of a searched key that its axis shows."""


def fit_charts(training: TrainingPart) -> Iterator[Chart]:
    """Yields the loss, each metric, the learning rate and the speed of the fit, by epoch."""
    for title, groups in _curves(training.epochs):
        rows = [
            (epoch.number, epoch.values.get(key), group)
            for group, key in groups.items()
            for epoch in training.epochs
            if _is_finite(epoch.values.get(key))
        ]
        if rows:
            yield _curve_chart(title, rows, training)


def _curves(epochs: Sequence[Epoch]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields the title of each chart, and the measure of each of its lines by the line's name."""
    measures = dict.fromkeys(name for epoch in epochs for name in epoch.values)
    for name in measures:
        base = name.removeprefix(_EVAL)
        if name not in _NOT_METRICS and (name == base or base not in measures):
            yield base, {"train": base, "eval": _EVAL + base}
    for name, title in _NOT_METRICS.items():
        if name in measures and title:
            yield title, {title: name}


def _curve_chart(
    title: str, rows: Sequence[tuple[int, float | None, str]], training: TrainingPart
) -> Chart:
    best, epochs = training.best_epoch, len(training.epochs)
    kept = "" if best is None else f" The dashed line marks epoch {best}, whose weights are kept."
    groups = {row[2] for row in rows}
    return Chart(
        title=title,
        reading=_how_to_read(title) + kept,
        summary=_summary(title, rows, epochs),
        fields={"x": "Epoch", "y": title, "group": "Split"},
        rows=rows,
        spec=_curve_spec(title, len(groups) > 1, epochs <= _MOST_POINTS, best),
        others={} if best is None else {"kept": (("x",), ((best,),))},
    )


def _how_to_read(title: str) -> str:
    if title == "learning rate":
        return "The step size of the optimizer at the end of each epoch."
    if title == "examples a second":
        return "How many rows the training read in a second, over all workers."
    if title == "loss":
        return "Lower is better. If eval rises while train falls, the model memorizes its rows."
    return "The metric on the rows of the training and on the held-out split eval."


def _summary(title: str, rows: Sequence[Sequence[Any]], epochs: int) -> str:
    parts = []
    for group in dict.fromkeys(row[2] for row in rows):
        values = [row[1] for row in rows if row[2] == group]
        parts.append(f"{group} goes from {number(values[0])} to {number(values[-1])}")
    return f"Line chart of {short(title)} over {epochs} epochs: {'; '.join(parts)}."


def _curve_spec(title: str, has_groups: bool, has_points: bool, best: int | None) -> Spec:
    line = {
        "mark": {"type": "line", "point": {"size": 28} if has_points else False},
        "encoding": {
            "x": x("Epoch", axis={"tickMinStep": 1, "format": "d", "grid": False}),
            "y": y(short(title), scale={"zero": False}),
            "color": colour(["var(--train)", "var(--eval)"], legend=has_groups),
            "tooltip": tips(group="Split", x="Epoch", y="Value"),
        },
    }
    kept = {
        "data": {"name": "kept"},
        "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [4, 3]},
        "encoding": {"x": x("Epoch")},
    }
    return plot(200, line) if best is None else plot(200, line, kept)


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def search_chart(search: SearchResults) -> Chart | None:
    """Returns the finished trials as lines over one axis for each searched key."""
    trials = [t for t in search.trials if t.objective is not None and math.isfinite(t.objective)]
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
        spec=_search_spec(),
        others={"ends": (("name", "y", "text"), ends)},
    )


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


def _search_spec() -> Spec:
    key = names(labelAngle=-20, labelLimit=140)
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
                "scale": {"domain": ["yes", "no"], "range": ["var(--eval)", "var(--train)"]},
                "legend": None,
            },
            "size": {
                "condition": {"test": {"field": "best", "equal": "yes"}, "value": 4},
                "value": 1.2,
            },
            "tooltip": tips(trial="Trial"),
        },
    }
    texts = {
        "data": {"name": "ends"},
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11, "color": "var(--ink)"},
        "encoding": {"x": key, "y": place, "text": {"field": "text", "type": "nominal"}},
    }
    return plot(280, rules, lines, texts)


def searched_keys(search: SearchResults) -> list[str]:
    """Returns the keys that any trial tried."""
    return list(dict.fromkeys(key for trial in search.trials for key in trial.values))


def sorted_trials(search: SearchResults) -> list[TrialResult]:
    """Returns the trials, the best first, and those without a value last."""
    values = {t.trial: t.objective for t in search.trials if _is_finite(t.objective)}
    best = values.get(search.best)
    is_lower_better = best is None or best <= min(v for v in values.values() if v is not None)

    def place(trial: TrialResult) -> tuple[bool, bool, float]:
        value = values.get(trial.trial)
        order = (value if is_lower_better else -value) if value is not None else 0.0
        return trial.trial != search.best, value is None, order

    return sorted(search.trials, key=place)
