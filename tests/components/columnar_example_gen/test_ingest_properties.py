"""For any table, the splits depend on the content alone, and no row is lost or doubled."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import ColumnType, DataConfig, LabelConfig
from pipeline.config.sections.data import CsvConfig
from pipeline.core.contracts import Split

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"))
TYPES: dict[str, ColumnType] = {"text": "string", "number": "float", "y": "string"}
Row = tuple[Any, ...]
Splits = Mapping[str, Counter[Row]]

# An empty cell of a CSV file is a missing text; "NA" is a word in these tables.
TEXT = st.one_of(
    st.sampled_from(
        ['say "no"', "a,b", "two\nlines", "\r\n", " blank ", "größe", "日本", "0", "NA"]
    ),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1),
)
NUMBER = st.floats(width=32, allow_nan=False, allow_infinity=False)
ROWS = st.lists(
    st.tuples(st.none() | TEXT, st.none() | NUMBER, st.sampled_from(["no", "yes"])), max_size=30
)
# So many distinct rows that no split is empty and each has both classes.
SURE = [(f"row {i}", float(i), "no" if i % 2 else "yes") for i in range(60)]


def ingested(folder: Path, *paths: Path, **split: Any) -> Splits:
    source = "parquet" if paths[0].suffix == ".parquet" else "csv"
    data = DataConfig(
        source=source,
        path=tuple(map(str, paths)),
        csv=CsvConfig(missing=("",)),
        split={"train": 0.4, "eval": 0.3, "test": 0.3, **split},
    )
    directories = {name: folder / name for name in Split.ALL}
    ingest(paths, IngestConfig(data, LABEL, TYPES), directories)
    return {name: rows_of(pq.read_table(directory)) for name, directory in directories.items()}


def rows_of(table: pa.Table) -> Counter[Row]:
    cells = ([c[0] if c else None for c in table[name].to_pylist()] for name in TYPES)
    texts, numbers, labels = cells
    decoded = ([None if c is None else c.decode() for c in column] for column in (texts, labels))
    text, label = decoded
    return Counter(zip(text, numbers, label))


def write_csv(path: Path, rows: list[Row], quoting: int) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=quoting)
        writer.writerow(TYPES)
        writer.writerows(["" if c is None else c for c in row] for row in rows)
    return path


def as_csv_cells(rows: list[Row]) -> list[Row]:
    """Returns the rows as ingestion reads them from CSV: without the ASCII blanks around texts."""
    return [(text.strip(" \t\n\v\f\r") or None if text else None, *rest) for text, *rest in rows]


def write_parquet(path: Path, rows: list[Row]) -> Path:
    columns = zip(*rows)
    kinds = (pa.string(), pa.float32(), pa.string())
    pq.write_table(pa.table({n: pa.array(c, k) for n, c, k in zip(TYPES, columns, kinds)}), path)
    return path


@settings(max_examples=25)
@given(rows=ROWS, cut=st.integers(1, 59), data=st.data())
def test_splits_do_not_depend_on_order_files_format_or_quotes(tmp_path_factory, rows, cut, data):
    folder = tmp_path_factory.mktemp("table")
    rows = [*rows, *SURE]
    shuffled = data.draw(st.permutations(rows))
    whole = ingested(folder / "1", write_csv(folder / "whole.csv", rows, csv.QUOTE_MINIMAL))
    parts = [
        write_csv(folder / "a.csv", shuffled[:cut], csv.QUOTE_ALL),
        write_csv(folder / "b.csv", shuffled[cut:], csv.QUOTE_NONNUMERIC),
    ]
    assert sum(whole.values(), Counter()) == Counter(as_csv_cells(rows))
    assert ingested(folder / "2", *parts) == whole
    stored = write_parquet(folder / "t.parquet", as_csv_cells(shuffled))
    assert ingested(folder / "3", stored) == whole


@settings(max_examples=15)
@given(rows=ROWS, others=ROWS)
def test_a_key_stays_in_its_split_when_other_rows_are_added(tmp_path_factory, rows, others):
    folder = tmp_path_factory.mktemp("table")
    first = write_csv(folder / "a.csv", [*SURE, *rows], csv.QUOTE_MINIMAL)
    second = write_csv(folder / "b.csv", [*others, *SURE], csv.QUOTE_MINIMAL)
    by_key = {"by": "key", "column": "text"}
    places = [
        {row[0]: split for split, found in ingested(folder / path.stem, path, **by_key).items()
         for row in found}
        for path in (first, second)
    ]  # fmt: skip
    both = places[0].keys() & places[1].keys()
    assert {key: places[0][key] for key in both} == {key: places[1][key] for key in both}
    once = Counter(
        key for found in ingested(folder / "c", first, **by_key).values()
        for key in {row[0] for row in found}
    )  # fmt: skip
    assert set(once.values()) == {1}


def test_a_quoted_empty_cell_is_missing(tmp_path):
    text = io.StringIO()
    text.write("text,number,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in SURE))
    text.write('"",1,no\n,1,no\n')
    path = tmp_path / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    found = sum(ingested(tmp_path / "out", path).values(), Counter())
    assert found[(None, 1.0, "no")] == 2
