"""Figures of data and model for the example reports."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from components.data_figures.figures import (
    Associations,
    ColumnFigures,
    DataFigures,
    Distance,
    Histogram,
    NumberSummary,
    ValueShares,
)
from components.model_figures import figures as model
from components.model_figures.figures import Estimate

SPLITS = ("train", "eval", "test")
_NUMBERS = ("trip_miles", "trip_seconds", "fare", "pickup_latitude", "trip_start_hour")
_CATEGORIES = {
    "company": ("Flash Cab", "Taxi Affiliation Services", "Yellow Cab", "Choice Taxi", "Sun Taxi"),
    "payment_type": ("Cash", "Credit Card", "No Charge", "Unknown"),
    "pickup_community_area": tuple(map(str, (8, 32, 28, 6, 7, 33, 76, 3))),
}


def data_figures(served: bool, columns: int = 9, broken: str | None = None) -> DataFigures:
    """Returns the figures of a table; `broken` is a column with a finding that stops the run."""
    rng = np.random.default_rng(0)
    samples = [*SPLITS, *(["served"] if served else [])]
    made = [_category("tips", ("small", "big"), samples, rng, role="label")]
    made += [_category(name, values, samples, rng) for name, values in _CATEGORIES.items()]
    names = [*_NUMBERS, *(f"sensor_{i:03}" for i in range(columns - len(made) - len(_NUMBERS)))]
    made += [_number(name, samples, rng) for name in names[: columns - len(made)]]
    made = [_with_attention(column, broken) for column in made]
    made.sort(key=lambda column: -column.attention)
    return DataFigures(
        rows={"train": 9000, "eval": 3000, "test": 3000},
        label="tips",
        compared_with="1795323956" if served else None,
        columns=tuple(made),
        associations=_associations([c.name for c in made if c.role == "feature"][:29], rng),
        notes=(),
    )


def _number(name: str, samples: list[str], rng: np.random.Generator) -> ColumnFigures:
    values = {s: rng.gamma(2.0, 3.0 + 0.4 * (s == "served"), 3000) for s in samples}
    edges = np.linspace(0, 30, 25)
    shares = {
        s: tuple((np.histogram(np.clip(v, 0, 30), edges)[0] / len(v)).tolist())
        for s, v in values.items()
    }
    value = float(rng.uniform(0.001, 0.05))
    distance = Distance("jensen_shannon_divergence", value, 0.1, 0.1)
    return ColumnFigures(
        name=name, role="feature", kind="numeric", type="number",
        missing=dict.fromkeys(samples, float(rng.choice([0.0, 0.02, 0.11]))),
        distinct=int(rng.integers(50, 9000)), distinct_rows=9000,
        numbers={s: _summary(v) for s, v in values.items()},
        histogram=Histogram(tuple(edges.tolist()), shares),
        values=None,
        drift=replace(distance, value=value) if "served" in samples else None,
        skew={"eval": replace(distance, value=value / 3)},
        with_label=float(rng.uniform(0, 0.6)),
        attention=value * 5, reasons=(),
    )  # fmt: skip


def _summary(values: np.ndarray) -> NumberSummary:
    points = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return NumberSummary(*points, float(values.mean()), float(values.std()), 0.01)


def _category(
    name: str, values: tuple[str, ...], samples: list[str], rng: np.random.Generator,
    role: str = "feature",
) -> ColumnFigures:  # fmt: skip
    weights = {s: np.sort(rng.dirichlet(np.full(len(values) + 1, 3.0)))[::-1] for s in samples}
    return ColumnFigures(
        name=name, role=role, kind="binary" if role == "label" else "category", type="text",
        missing=dict.fromkeys(samples, 0.0), distinct=len(values) + 3, distinct_rows=None,
        numbers={}, histogram=None,
        values=ValueShares(
            values,
            {s: tuple(w[:-1].tolist()) for s, w in weights.items()},
            {s: float(w[-1]) if role != "label" else 0.0 for s, w in weights.items()},
        ),
        drift=Distance("infinity_norm", 0.04, 0.1, 0.11) if "served" in samples else None,
        skew={"test": Distance("infinity_norm", 0.01, 0.1, 0.11)},
        with_label=None if role == "label" else float(rng.uniform(0, 0.6)),
        attention=0.1, reasons=(),
    )  # fmt: skip


def _with_attention(column: ColumnFigures, broken: str | None) -> ColumnFigures:
    if column.name == broken:
        reason = "1,204 of 12,000 rows have a value that the schema does not list"
        return replace(column, attention=2.0, reasons=(reason,))
    if column.name == "company" and column.drift is not None:
        drift = replace(column.drift, value=0.137)
        reasons = ("drift 0.137 is above its limit 0.11", "Flash Cab: 35 %, was 21 %")
        return replace(column, drift=drift, attention=1.25, reasons=reasons)
    if column.name == "trip_seconds":
        return replace(column, attention=0.6, reasons=("11 % of the values are missing",))
    return column


def _associations(names: list[str], rng: np.random.Generator) -> Associations:
    size = len(names) + 1
    half = np.triu(rng.beta(0.6, 3.0, (size, size)), 1)
    matrix = half + half.T + np.eye(size)
    return Associations(("tips", *names), tuple(map(tuple, matrix.tolist())), 9000)


def estimate(value: float, width: float = 0.01) -> Estimate:
    """Returns a value with an interval."""
    return Estimate(value, value - width, value + width)


def model_figures(task: str, served: bool, classes: int = 40) -> model.ModelFigures:
    """Returns the figures of a model for any task."""
    rng = np.random.default_rng(1)
    names = {
        "binary": ("small", "big"),
        "multiclass": tuple(f"class {i}" for i in range(classes)),
    }.get(task, ())
    values = {
        "binary": {"auc": 0.8614, "accuracy": 0.8421, "log_loss": 0.3312},
        "multiclass": {"accuracy": 0.7412, "macro_f1": 0.6903, "log_loss": 0.912},
        "regression": {"r2": 0.8123, "rmse": 4.121, "mae": 2.310},
    }[task]
    return model.ModelFigures(
        task=task, classes=names, split="test", examples=3000, bootstrap_examples=3000,
        baseline="1795323956" if served else None,
        metrics=tuple(
            model.MetricFigures(
                name, estimate(value), estimate(value - 0.0121) if served else None,
                Estimate(0.0121, 0.0034, 0.0209) if served else None, value / 2,
            )
            for name, value in values.items()
        ),
        slices=_slices(next(iter(values))),
        gaps=(
            model.Gap("accuracy", ("payment_type",), "payment_type=Cash", "payment_type=Unknown",
                      estimate(0.11, 0.04), 0.1, True),
            model.Gap("recall", ("payment_type",), "", "", Estimate(None, None, None), 0.1, True,
                      left_out=("recall is undefined on payment_type=Unknown",)),
        ),
        binary=_binary(served, rng) if task == "binary" else None,
        multiclass=_multiclass(names, rng) if task == "multiclass" else None,
        regression=_regression(rng) if task == "regression" else None,
        wrong_rows=tuple(_wrong_row(i, task) for i in range(20)),
        loss="mean absolute error" if task == "regression" else "log loss",
        importance=tuple(
            model.Importance(name, estimate(0.12 / (i + 1) - 0.01, 0.012), 0.05 / (i + 1), 0.01)
            for i, name in enumerate((*_NUMBERS, *_CATEGORIES))
        ),
        importance_examples=3000,
        dependence=(*(_dependence(n, None, rng) for n in _NUMBERS),
                    *(_dependence(n, v, rng) for n, v in _CATEGORIES.items())),
        notes=(),
    )  # fmt: skip


def _slices(metric: str) -> tuple[model.SliceFigures, ...]:
    values = [f"{name}={value}" for name, all_ in _CATEGORIES.items() for value in all_]
    return tuple(
        model.SliceFigures(
            name, (name.partition("=")[0],), 40 + 97 * i,
            {metric: estimate(0.7 + 0.012 * i, 0.08 / (i + 1)), "accuracy": estimate(0.8)},
        )
        for i, name in enumerate(values)
    )  # fmt: skip


def _binary(served: bool, rng: np.random.Generator) -> model.BinaryFigures:
    x = np.linspace(0, 1, 101)
    roc = model.Curve(tuple(x), tuple(x**0.22))
    recall = model.Curve(tuple(x), tuple(1 - 0.6 * x**3))
    edges = np.linspace(0, 1, 26)
    scores = {"small": rng.beta(2, 6, 2200), "big": rng.beta(5, 3, 800)}
    labels = np.repeat([0, 1], [2200, 800])
    predicted = np.concatenate([scores["small"], scores["big"]])
    return model.BinaryFigures(
        roc=roc, served_roc=model.Curve(tuple(x), tuple(x**0.26)) if served else None,
        precision_recall=recall,
        served_precision_recall=replace(recall, y=tuple(0.98 - 0.65 * x**3)) if served else None,
        calibration=tuple(
            model.Bin(p, estimate(float(np.clip(p * 0.95 + 0.01, 0, 1)), 0.03), 300)
            for p in np.linspace(0.05, 0.95, 10).tolist()
        ),
        scores=model.Histogram(
            tuple(edges.tolist()),
            {n: tuple(np.histogram(v, edges)[0].tolist()) for n, v in scores.items()},
        ),
        thresholds=tuple(_threshold(t, labels, predicted) for t in np.linspace(0, 1, 21).round(2)),
    )  # fmt: skip


def _threshold(threshold: float, labels: np.ndarray, predicted: np.ndarray) -> model.ThresholdRow:
    positive = predicted >= threshold
    counts = [
        int(np.sum((positive == guess) & (labels == true)))
        for guess, true in ((True, 1), (True, 0), (False, 1), (False, 0))
    ]
    return model.ThresholdRow(float(threshold), *counts)


def _multiclass(names: tuple[str, ...], rng: np.random.Generator) -> model.MulticlassFigures:
    shown = names if len(names) <= 30 else (*names[:29], "all others")
    size = len(shown)
    confusion = rng.poisson(2, (size, size)) + np.diag(rng.integers(30, 90, size))
    x = tuple(np.linspace(0, 1, 31).tolist())
    return model.MulticlassFigures(
        classes=tuple(
            model.ClassFigures(
                name, 75, 0.6 + i / 200, 0.5 + i / 150, 0.55 + i / 170, 0.9,
                model.Curve(x, tuple(v ** (0.4 - i / 50) for v in x)) if i < 10 else None,
            )
            for i, name in enumerate(names)
        ),
        confusion_classes=shown,
        confusion=tuple(map(tuple, confusion.tolist())),
        mixups=tuple(model.Mixup(a, b, 9, 0.12) for a, b in pairwise(shown[:20])),
        calibration=(model.Bin(0.9, estimate(0.8), 100), model.Bin(0.5, estimate(0.45), 100)),
    )  # fmt: skip


def _regression(rng: np.random.Generator) -> model.RegressionFigures:
    truth = rng.gamma(2.0, 8.0, 3000)
    guess = truth * 0.9 + rng.normal(0, 3, 3000)
    edges = np.linspace(-40, 40, 41)
    bins = np.linspace(0, 80, 41)
    counts = np.histogram2d(truth, guess, (bins, bins))[0].astype(int)
    tenths = np.array_split(np.argsort(guess), 10)
    return model.RegressionFigures(
        residuals=model.Histogram(
            tuple(edges.tolist()), {"all": tuple(np.histogram(truth - guess, edges)[0].tolist())}
        ),
        edges=tuple(bins.tolist()),
        predicted_against_true=tuple(map(tuple, counts.tolist())),
        deciles=tuple(
            model.Decile(
                float(guess[t].mean()), float(truth[t].mean()),
                float(np.abs(truth[t] - guess[t]).mean()), len(t),
            )
            for t in tenths
        ),
        absolute_error_quantiles={"50 %": 2.1, "90 %": 6.9, "99 %": 14.2},
    )  # fmt: skip


def _wrong_row(number: int, task: str) -> model.WrongRow:
    is_number = task == "regression"
    return model.WrongRow(
        row=number * 137,
        label="41.5" if is_number else "big",
        predicted="12.25" if is_number else "small",
        probability=None if is_number else 0.01 * (number + 1),
        loss=29.25 if is_number else 4.6 - 0.1 * number,
        cells={"company": "Flash Cab", "trip_miles": "0.1", "payment_type": "Cash"},
    )


def _dependence(
    name: str, values: tuple[str, ...] | None, rng: np.random.Generator
) -> model.Dependence:
    positions = None if values else tuple(np.linspace(0, 30, 15).tolist())
    texts = values or tuple(f"{p:.3g}" for p in positions or ())
    means = np.clip(0.3 + np.cumsum(rng.normal(0, 0.03, len(texts))), 0.05, 0.95)
    return model.Dependence(
        name, texts, positions, {"big": tuple(means)}, {"big": tuple(means * 0.6)},
        {"big": tuple(np.minimum(means * 1.4, 1.0))},
    )  # fmt: skip


def hostile_data(texts: tuple[str, ...]) -> DataFigures:
    """Returns figures whose names and values are the texts."""
    figures = data_figures(served=True, columns=4 + len(texts))
    rng = np.random.default_rng(2)
    samples = [*SPLITS, "served"]
    columns = [
        replace(
            _category(text, texts, samples, rng, role="label" if i == 0 else "feature"),
            reasons=(text, *texts), attention=1.5, kind=text,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip
    columns += [replace(_number(t, samples, rng), reasons=(t,)) for t in texts]
    return replace(
        figures, label=texts[0], compared_with=texts[0], columns=tuple(columns), notes=texts,
        associations=_associations(list(texts), rng),
    )  # fmt: skip


def hostile_model(texts: tuple[str, ...]) -> model.ModelFigures:
    """Returns figures whose names, classes and cells are the texts."""
    rng = np.random.default_rng(3)
    binary = model_figures("binary", True)
    assert binary.binary is not None
    metric = binary.metrics[0]
    row = binary.wrong_rows[0]
    counts = dict.fromkeys(texts[:2], binary.binary.scores.counts["big"])
    scores = replace(binary.binary.scores, counts=counts)
    return replace(
        binary, classes=texts[:2], split=texts[0], baseline=texts[0],
        metrics=(replace(metric, name=f"f1[{texts[0]}]"),),
        slices=tuple(
            model.SliceFigures(f"{t}={t}", (t,), 9, {metric.name: estimate(0.5)}) for t in texts
        ),
        gaps=(model.Gap(texts[0], (texts[0],), texts[0], texts[-1], estimate(0.1), 0.1, False),),
        binary=replace(binary.binary, scores=scores),
        multiclass=_multiclass(texts, rng),
        wrong_rows=tuple(
            replace(row, label=t, predicted=t, cells=dict.fromkeys(texts, t)) for t in texts
        ),
        loss=texts[0],
        importance=tuple(model.Importance(t, estimate(0.1), 0.1, 0.1) for t in texts),
        dependence=tuple(_dependence(t, tuple(texts), rng) for t in texts),
        notes=texts,
    )  # fmt: skip
