"""Compares what was measured of the models.

Two fits never give the same model: their metrics may differ by the noise of training. Of one and
the same model, TFX's Evaluator and ours have to find the same, slice by slice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from benchmarks.results import Check

Metrics = Mapping[str, Mapping[str, float]]
"""By slice and name; the whole split is the empty slice."""

_SAME = 1e-4
"""Predictions differ by float32's rounding with the size of the batch."""
_AREAS = {"auc": 5e-3, "pr_auc": 5e-3}
"""TFMA counts scores in 10,000 bins of equal probability, ours in bins of equal log-odds: where all
scores are small, TFMA's throw some together. Of a single class it says zero, ours nothing."""


def check_same_model(stock: Metrics, ours: Metrics) -> Check:
    """Of one model on the same rows, every metric of every slice."""
    differences = [*_slices_of_one(stock, ours), *_values_that_differ(stock, ours)]
    count = sum(len(values) for values in ours.values())
    told = "; ".join(differences[:5]) or f"{count} values of {len(ours)} slices alike"
    return Check("metrics of one model by both Evaluators", not differences and count > 0, told)


def check_models(stock: Metrics, ours: Metrics, noise: Mapping[str, float]) -> Iterator[Check]:
    """Of the two models, on the whole test split."""
    same = stock[""]["examples"] == ours[""]["examples"]
    told = f"{stock['']['examples']:.0f} and {ours['']['examples']:.0f}"
    yield Check("rows evaluated", same, told)
    for name, bound in noise.items():
        values = (stock[""][name], ours[""][name])
        found = f"{values[0]:.4f} and {values[1]:.4f}, apart at most {bound:g}"
        yield Check(f"{name} of both models", abs(values[0] - values[1]) <= bound, found)


def _slices_of_one(stock: Metrics, ours: Metrics) -> Iterator[str]:
    for name in sorted(set(stock) ^ set(ours)):
        yield f"only one has the slice {name}"


def _values_that_differ(stock: Metrics, ours: Metrics) -> Iterator[str]:
    for slice_name in sorted(set(stock) & set(ours)):
        theirs, own = stock[slice_name], ours[slice_name]
        for name in sorted(set(theirs) | set(own)):
            pair = theirs.get(name, math.nan), own.get(name, math.nan)
            if not _alike(name, *pair):
                yield f"{name} of '{slice_name}' is {pair[0]:.6g} and {pair[1]:.6g}"


def _alike(name: str, stock: float, ours: float) -> bool:
    if math.isnan(ours) and name in _AREAS:
        return math.isnan(stock) or stock == 0
    if math.isnan(stock) or math.isnan(ours):
        return math.isnan(stock) and math.isnan(ours)
    tolerance = _AREAS.get(name, _SAME)
    return math.isclose(stock, ours, rel_tol=tolerance, abs_tol=tolerance)
