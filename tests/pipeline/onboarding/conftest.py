"""Writes small tables and proposes configurations for them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.onboarding import Proposal, propose_config

Columns = Mapping[str, Sequence[Any]]


def write_csv(columns: Columns, **dialect: Any) -> str:
    """The columns as CSV text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **dialect)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def make_signal(rows: int = 400, seed: int = 0) -> dict[str, list[Any]]:
    """A number `x` and a category `c` that together say something about the label `y`."""
    random = np.random.default_rng(seed)
    x = random.normal(size=rows).round(4)
    c = random.choice(["red", "green", "blue"], rows)
    y = (x + (c == "red") + 0.7 * random.normal(size=rows) > 0.3).astype(int)
    return {"x": x.tolist(), "c": c.tolist(), "y": y.tolist()}


@pytest.fixture
def signal() -> Callable[..., dict[str, list[Any]]]:
    return make_signal


@pytest.fixture
def to_csv() -> Callable[..., str]:
    return write_csv


@pytest.fixture
def propose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Proposal]:
    """Writes a table, given as columns, text or bytes, into an empty directory and looks at it."""

    def write_and_propose(
        table: Columns | str | bytes, label: str = "y", file: str = "trees.csv", **dialect: Any
    ) -> Proposal:
        monkeypatch.chdir(tmp_path)
        text = write_csv(table, **dialect) if isinstance(table, Mapping) else table
        Path(file).write_bytes(text.encode() if isinstance(text, str) else text)
        return propose_config([file], label, Path("config.yaml"), force=True)

    return write_and_propose
