"""Fixtures that write small tables and propose configurations for them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig, Feature
from pipeline.onboarding import Overrides, Proposal, propose_config
from pipeline.onboarding.overrides import NO_OVERRIDES
from pipeline.onboarding.reading.columns import Column, make_columns
from pipeline.onboarding.reading.missing_markers import choose_markers
from pipeline.onboarding.reading.scan import scan_blocks

Columns = Mapping[str, Sequence[Any]]


def write_csv(columns: Columns, **dialect: Any) -> str:
    """Returns the columns as CSV text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **dialect)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def make_signal(rows: int = 400, seed: int = 0) -> dict[str, list[Any]]:
    """Returns a number `x` and a category `c` that together predict the label `y` with noise."""
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
    """Writes a table (columns, text or bytes) into an empty directory and proposes its file."""

    def write_and_propose(
        table: Columns | str | bytes,
        label: str = "y",
        file: str = "trees.csv",
        overrides: Overrides = NO_OVERRIDES,
        **dialect: Any,
    ) -> Proposal:
        monkeypatch.chdir(tmp_path)
        text = write_csv(table, **dialect) if isinstance(table, Mapping) else table
        Path(file).write_bytes(text.encode() if isinstance(text, str) else text)
        return propose_config([file], label, Path("config.yaml"), True, overrides)

    return write_and_propose


@pytest.fixture
def propose_feature(propose: Callable[..., Proposal]) -> Callable[..., Feature | None]:
    """Proposes the feature for a column, beside columns that predict the label."""

    def write_and_propose(name: str, values: Sequence[Any]) -> Feature | None:
        return propose({**make_signal(), name: list(values)}).config.features.get(name)

    return write_and_propose


@pytest.fixture
def to_columns() -> Callable[..., dict[str, Column]]:
    """Scans a table without writing it; cells are text, and None where a value is missing."""

    def scan(table: Mapping[str, Sequence[str | None]]) -> dict[str, Column]:
        block = pa.RecordBatch.from_pydict({n: pa.array(c, pa.string()) for n, c in table.items()})
        facts = scan_blocks([block], next(iter(table)), CsvConfig())
        return make_columns(facts, choose_markers(facts, next(iter(table))), CsvConfig())

    return scan
