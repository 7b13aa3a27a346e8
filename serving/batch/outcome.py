"""Outcome: what a prediction did, for the terminal, `--json` and the note of the component."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a prediction wrote."""

    version: str
    """The version of the model."""
    output: str
    files: int
    """The number of input files."""
    reused_files: int
    """The files whose predictions were finished before."""
    rows: int
    """The rows with predictions."""
    bad_rows: int
    """The rows without predictions."""
    rows_per_second: float | None
    """The rows that were read now, by the seconds after the model was loaded; None if all
    predictions were finished before."""
