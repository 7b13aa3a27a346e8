"""The file of the gaps in the Evaluator's ModelEvaluation, and a gap in words."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pydantic import TypeAdapter
from tfx.dsl.io import fileio

from components.predictions.estimates import Gap
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import write_bytes_atomically

_GAPS = TypeAdapter(tuple[Gap, ...])
_MOST_TOLD = 3
"""Slices in a sentence; the page lists more."""


def write_gaps(evaluation: str, gaps: Sequence[Gap]) -> None:
    """Writes the gaps to the directory of the ModelEvaluation, for `read_gaps`."""
    path = os.path.join(evaluation, ArtifactFile.GAPS)
    write_bytes_atomically(path, _GAPS.dump_json(tuple(gaps), indent=2), durable=False)


def read_gaps(evaluation: str) -> tuple[Gap, ...]:
    """Returns the gaps that `evaluation.gaps` asked for.

    An evaluation by an earlier version of this project has none.
    """
    path = os.path.join(evaluation, ArtifactFile.GAPS)
    if not fileio.exists(path):
        return ()
    with fileio.open(path, "rb") as file:
        return _GAPS.validate_json(file.read())


def explain_gap(gap: Gap) -> str:
    """Returns the gap in words: metric, both slices with their rows, difference and limit."""
    low, high = gap.difference.low, gap.difference.high
    return (
        f"{gap.metric} is {gap.best_value:.4g} on {gap.best} ({gap.best_examples:,} rows) and "
        f"{gap.worst_value:.4g} on {gap.worst} ({gap.worst_examples:,} rows): the difference is "
        f"{gap.difference.value:.4g} (95 % interval {low:.4g} to {high:.4g}), "
        f"at most {gap.allowed:.4g} is allowed"
    )


def list_unjudged_gaps(evaluation: str) -> list[str]:
    """Returns a sentence for each bounded gap that nobody could measure, and why."""
    return [_explain_unjudged(gap) for gap in read_gaps(evaluation) if not gap.is_judged]


def _explain_unjudged(gap: Gap) -> str:
    why = f": {'; '.join(gap.left_out[:_MOST_TOLD])}" if gap.left_out else ""
    more = f"; and {len(gap.left_out) - _MOST_TOLD} more" if len(gap.left_out) > _MOST_TOLD else ""
    return (
        f"the gap of {gap.metric} between the slices of {', '.join(gap.columns)} is not judged, "
        f"because fewer than two slices count{why}{more}"
    )
