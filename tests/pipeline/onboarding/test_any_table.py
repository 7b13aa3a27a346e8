"""ExampleGen ingests any mixture of hostile columns in any dialect as proposed."""

from __future__ import annotations

import csv
import datetime
import io
import os
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.onboarding import propose_config

ROWS = 200
RANDOM = np.random.default_rng(11)
SIGNAL = RANDOM.normal(size=ROWS)
DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(days=3 * i) for i in range(ROWS)]


def some(*words: str) -> list[str]:
    return RANDOM.choice(words, ROWS).tolist()


NUMBERS = {
    "plain": [f"{v:.3f}" for v in SIGNAL * 50],
    "grouped": [f"{v:,.2f}" for v in np.exp(SIGNAL + 7)],
    "dollars": [f"${v:,.2f}" for v in np.exp(SIGNAL + 7)],
    "percent": [f"{v:.1f} %" for v in SIGNAL],
    "marked": [f"{v:.2f}" if i % 4 else ("?", "NA", "")[i % 3] for i, v in enumerate(SIGNAL)],
    "infinite": [f"{v:.2f}" if i % 9 else "inf" for i, v in enumerate(SIGNAL)],
}
OTHERS = {
    "whole": [f"{i % 90}" if i % 5 else "many" for i in range(ROWS)],
    "two units": [f"{'$€'[i % 2]}{v:.1f}" for i, v in enumerate(SIGNAL)],
    "colour": some(" red", "red", "blue ", "?"),
    "flag": some("TRUE", "false", ""),
    "day": [d.strftime("%d.%m.%Y") for d in DAYS],
    "days": [d.strftime(("%Y-%m-%d", "%d %b %Y")[i % 2]) for i, d in enumerate(DAYS)],
    "note": [f'{w}, and; "{i % 7}"\nmore\there' for i, w in enumerate(some("a", "b"))],
    "zip": [f"{i * 37:05d}" for i in range(ROWS)],
    "address": [f"10.0.{i % 256}.{i % 100}" for i in range(ROWS)],
    "huge": [f"{v:.3e}" for v in SIGNAL * 1e300],
    "constant": ["x"] * ROWS,
    "nothing": [""] * ROWS,
}
LABELS = {
    "numbers": [f"{v:.3f}" for v in SIGNAL],
    "money": [f"${1000 * (v + 5):,.2f}" for v in SIGNAL],
    "signs": ["1" if v > 0 else "-1" for v in SIGNAL],
    "words": [" yes" if v > 0 else "no " for v in SIGNAL],
    "gaps": ["" if i % 17 == 0 else "yn"[int(v > 0)] for i, v in enumerate(SIGNAL)],
    "a rare class": ["rare" if i < 5 else "ab"[int(v > 0)] for i, v in enumerate(SIGNAL)],
}
EUROPEAN = str.maketrans(",.", ".,")


@settings(max_examples=40)
@given(
    numbers=st.sets(st.sampled_from(sorted(NUMBERS)), max_size=3),
    others=st.sets(st.sampled_from(sorted(OTHERS)), max_size=4),
    label=st.sampled_from(sorted(LABELS)),
    european=st.booleans(),
    has_header=st.booleans(),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    encoding=st.sampled_from(("utf-8", "utf-8-sig", "utf-16")),
)
def test_any_mixture_of_columns(
    numbers: set[str],
    others: set[str],
    label: str,
    european: bool,
    has_header: bool,
    delimiter: str,
    quoting: int,
    encoding: str,
) -> None:
    written = {n: NUMBERS[n] for n in sorted(numbers | {"plain"})} | {"label": LABELS[label]}
    if european:
        written = {n: [c.translate(EUROPEAN) for c in cells] for n, cells in written.items()}
    columns = {n: OTHERS[n] for n in sorted(others)} | written
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting)
    writer.writerows([list(columns)] if has_header else [])
    writer.writerows(zip(*columns.values()))
    names = {n: n if has_header else f"column_{i}" for i, n in enumerate(columns, start=1)}

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = directory / "table.csv"
        path.write_bytes(text.getvalue().encode(encoding))
        config = propose_config([str(path)], names["label"], directory / "my.yaml").config
        splits = {split: directory / split for split in ("train", "eval", "test")}
        for split in splits.values():
            os.mkdir(split)
        ingested = IngestConfig(config.data, config.label, config.column_types())
        report = ingest([path], ingested, splits)

    assert sum(report.rows.values()) + report.rows_without_label == ROWS
    kinds = {n: f.kind for n, f in config.features.items()}
    for number in numbers - {"infinite"}:
        # What is left out gives the label away.
        assert kinds.get(names[number], "numeric") == "numeric"
    is_number = label in ("numbers", "money")
    assert (config.label.task == "regression") == is_number
