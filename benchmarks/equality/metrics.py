"""Compares the metrics of both pipelines.

Two trainings never give the same model, so the metrics of the two models may differ by the noise of
training. On the same model, TFX's Evaluator and this project's must find the same values on every
slice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from benchmarks.results import Check

Metrics = Mapping[str, Mapping[str, float]]
"""Values by slice and metric name; the empty slice is the whole split."""

_SAME = 1e-4
"""The tolerance, relative and absolute: float32 predictions depend slightly on the batch size."""
_AREAS = {"auc": 5e-3, "pr_auc": 5e-3}
"""The tolerance of areas under curves. TFMA counts scores in 10,000 bins of equal width in
probability, this project in bins of equal width in log-odds. If all scores are small, TFMA's bins
merge some of them. With a single class, TFMA reports zero and this project NaN."""


def check_same_model(stock: Metrics, ours: Metrics) -> Check:
    """Returns the check that both Evaluators find the same metrics of one model on all slices."""
    differences = [*_list_missing_slices(stock, ours), *_list_different_values(stock, ours)]
    count = sum(len(values) for values in ours.values())
    finding = "; ".join(differences[:5]) or f"{count} equal values on {len(ours)} slices"
    return Check("metrics of one model by both Evaluators", not differences and count > 0, finding)


def check_models(stock: Metrics, ours: Metrics, noise: Mapping[str, float]) -> Iterator[Check]:
    """Yields the checks that both models have about the same metrics on the whole test split."""
    same = stock[""]["examples"] == ours[""]["examples"]
    finding = f"{stock['']['examples']:.0f} and {ours['']['examples']:.0f}"
    yield Check("rows evaluated", same, finding)
    for name, bound in noise.items():
        values = (stock[""][name], ours[""][name])
        finding = f"{values[0]:.4f} and {values[1]:.4f}, difference at most {bound:g}"
        yield Check(f"{name} of both models", abs(values[0] - values[1]) <= bound, finding)


def _list_missing_slices(stock: Metrics, ours: Metrics) -> Iterator[str]:
    for name in sorted(set(stock) ^ set(ours)):
        yield f"only one has the slice {name}"


def _list_different_values(stock: Metrics, ours: Metrics) -> Iterator[str]:
    for slice_name in sorted(set(stock) & set(ours)):
        theirs, own = stock[slice_name], ours[slice_name]
        for name in sorted(set(theirs) | set(own)):
            pair = theirs.get(name, math.nan), own.get(name, math.nan)
            if not _is_same(name, *pair):
                yield f"{name} of '{slice_name}' is {pair[0]:.6g} and {pair[1]:.6g}"


def _is_same(name: str, stock: float, ours: float) -> bool:
    if math.isnan(ours) and name in _AREAS:
        return math.isnan(stock) or stock == 0
    if math.isnan(stock) or math.isnan(ours):
        return math.isnan(stock) and math.isnan(ours)
    tolerance = _AREAS.get(name, _SAME)
    return math.isclose(stock, ours, rel_tol=tolerance, abs_tol=tolerance)
