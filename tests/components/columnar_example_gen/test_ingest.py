"""Ingestion writes every row once, with types that hold for all rows."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.columnar_example_gen import shards
from components.columnar_example_gen.ingest import IngestReport, ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.parts import list_sources
from components.columnar_example_gen.passes import LocalPasses
from components.tables import csv_file
from components.tables.typed_table import InferredType
from pipeline.config import CsvConfig, DataConfig, LabelConfig
from pipeline.core.errors import ConfigError, DataError

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.5)
SPLITS = ("train", "eval", "test")
TAKES_ALL = {"train": 0.98, "eval": 0.01, "test": 0.01}
Row = tuple[Any, ...]


def run(
    tmp_path: Path,
    *paths: Path,
    label: LabelConfig = LABEL,
    types: Any = None,
    reference: str = "",
    **data: Any,
) -> tuple[IngestReport, dict[str, pa.Table]]:
    source = "parquet" if paths[0].suffix == ".parquet" else "csv"
    config = IngestConfig(
        DataConfig(source=source, path=tuple(map(str, paths)), **data),
        label,
        {"y": "string"} | (types or {}),
        reference,
    )
    directories = {name: tmp_path / "out" / f"Split-{name}" for name in SPLITS}
    report = ingest(paths, config, directories)
    return report, {name: pq.read_table(directory) for name, directory in directories.items()}


def flat(table: pa.Table) -> list[dict[str, Any]]:
    return [{k: v[0] if v else None for k, v in row.items()} for row in table.to_pylist()]


def types_of(table: pa.Table) -> dict[str, str]:
    names = {pa.int64(): "int", pa.float32(): "float", pa.large_binary(): "string"}
    return {field.name: names[field.type.value_type] for field in table.schema}


def numbered(count: int, extra: str = "") -> str:
    return "n,y\n" + "".join(f"{i},{'yes' if i % 2 else 'no'}\n" for i in range(count)) + extra


def test_every_row_is_in_one_split_and_columns_are_sorted(tmp_path, write):
    path = write(
        "t.csv", "y,b,a\n" + "".join(f"{'no' if i % 3 else 'yes'},{i},x{i}\n" for i in range(500))
    )
    report, splits = run(tmp_path, path)
    assert report.rows == {name: table.num_rows for name, table in splits.items()}
    assert report.rows_without_label == 0
    rows = [row for table in splits.values() for row in flat(table)]
    assert sorted(row["b"] for row in rows) == list(range(500))
    assert all(row["a"] == f"x{row['b']}".encode() for row in rows)
    assert splits["train"].schema.names == ["a", "b", "y"]
    order = [row["b"] for row in flat(splits["train"])]
    assert order == sorted(order)


def test_csv_and_parquet_of_the_same_table_give_the_same_splits(tmp_path, write):
    path = write(
        "t.csv",
        "y,i,f,s\n" + "".join(f"{'no' if i % 3 else 'yes'},{i},{i}.5,x{i}\n" for i in range(300)),
    )
    stored = tmp_path / "t.parquet"
    pq.write_table(pa_csv.read_csv(path), stored)
    _, from_csv = run(tmp_path / "csv", path)
    _, from_parquet = run(tmp_path / "parquet", stored)
    for name in SPLITS:
        assert flat(from_csv[name]) == flat(from_parquet[name])


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20
)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["", "0", "1", "2.5", "x", "007"]),
            st.sampled_from(["no", "yes", ""]),
            st.integers(0, 40),
        ),
        min_size=60,
        max_size=120,
    ),
    block_bytes=st.integers(64, 400),
    cut=st.integers(0, 60),
    data=st.data(),
)
def test_blocks_files_and_order_do_not_change_the_splits(
    tmp_path_factory, write, rows, block_bytes, cut, data
):
    """The same rows, in any order, over any files, in blocks of any size, give the same splits."""
    rows = [*rows, *((str(n), y, n) for n in range(100, 160) for y in ("no", "yes"))]
    lines = [f"{a},{y},{n}\n" for a, y, n in rows]
    shuffled = data.draw(st.permutations(lines))
    whole = write("whole.csv", "a,y,n\n" + "".join(lines))
    parts = [
        write("p1.csv", "a,y,n\n" + "".join(shuffled[:cut])),
        write("p2.csv", "a,y,n\n" + "".join(shuffled[cut:])),
    ]
    label = LABEL.model_copy(update={"max_missing": 1.0})
    expected_report, expected = run(tmp_path_factory.mktemp("whole"), whole, label=label)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "BLOCK_BYTES", block_bytes)
        patch.setattr(shards, "_SHARD_ROWS", 7)
        report, splits = run(tmp_path_factory.mktemp("parts"), *parts, label=label)
    assert report == expected_report
    for name in SPLITS:
        assert types_of(splits[name]) == types_of(expected[name])
        assert counted(splits[name]) == counted(expected[name])
    labelled = sum(1 for _, y, _ in rows if y)
    assert sum(report.rows.values()) == labelled
    assert report.rows_without_label == len(rows) - labelled


def counted(table: pa.Table) -> Counter[Row]:
    return Counter(tuple(row.values()) for row in flat(table))


@pytest.mark.parametrize(
    ("early", "late", "expected"),
    [
        ("1", "2", "int"),
        ("1", "2.5", "float"),
        ("1", "x", "string"),
        ("2.5", "007", "string"),
        ("", "x", "string"),
    ],
)
def test_types_hold_for_all_rows_and_not_only_for_the_first_block(
    tmp_path, write, monkeypatch, early, late, expected
):
    monkeypatch.setattr(csv_file, "BLOCK_BYTES", 64)
    lines = [f"{early},{i},{'yes' if i % 2 else 'no'}\n" for i in range(200)]
    path = write("t.csv", "a,n,y\n" + "".join(lines) + f"{late},200,no\n")
    _, splits = run(tmp_path, path)
    assert {types_of(table)["a"] for table in splits.values()} == {expected}
    assert sum(table.num_rows for table in splits.values()) == 201
    left = {p.suffix or p.name for p in (tmp_path / "out").glob("*/*")}
    assert left == {".parquet"}


def test_configured_types_replace_inferred_types(tmp_path, write):
    path = write(
        "t.csv",
        "a,b,c,y\n" + "".join(f"{i},{i}.0,00{i},{'yes' if i % 2 else 'no'}\n" for i in range(100)),
    )
    _, splits = run(
        tmp_path, path, types={"a": "string", "b": "int", "c": "float", "absent": "int"}
    )
    assert types_of(splits["train"]) == {"a": "string", "b": "int", "c": "float", "y": "string"}
    first = flat(splits["train"])[0]
    assert first["a"] == str(first["b"]).encode()
    assert first["c"] == first["b"]


def test_zeros_are_values_and_missing_cells_are_not(tmp_path, write):
    path = write("t.csv", "i,f,s,y\n" + '0,0.0,"",no\n,,,yes\n' * 100 + numbered_tail())
    _, splits = run(tmp_path, path)
    cells = {(row["i"], row["f"], row["s"]) for t in splits.values() for row in flat(t)}
    assert (0, 0.0, None) in cells
    assert (None, None, None) in cells


def numbered_tail() -> str:
    return "".join(f"{i},{i}.5,s{i},{'yes' if i % 2 else 'no'}\n" for i in range(1, 100))


def test_numbers_with_decimal_comma_and_blanks_are_read(tmp_path, write):
    lines = "".join(f" {i},5 ;{'yes' if i % 2 else 'no'}\n" for i in range(100))
    _, splits = run(
        tmp_path, write("t.csv", "a;y\n" + lines), csv=CsvConfig(delimiter=";", decimal=",")
    )
    values = sorted(row["a"] for table in splits.values() for row in flat(table))
    assert values == [i + 0.5 for i in range(100)]


def test_a_split_by_key_keeps_the_rows_of_a_key_together(tmp_path, write):
    lines = "".join(f"c{i // 3},{i},{'yes' if i % 2 else 'no'}\n" for i in range(600))
    _, splits = run(
        tmp_path, write("t.csv", "who,n,y\n" + lines), split={"by": "key", "column": "who"}
    )
    keys = [{row["who"] for row in flat(table)} for table in splits.values()]
    assert sum(map(len, keys)) == len(set.union(*keys)) == 200


def test_a_split_by_time_puts_the_latest_rows_into_test(tmp_path, write):
    lines = "".join(f"2026-01-{i % 28 + 1:02},{i},{'yes' if i % 2 else 'no'}\n" for i in range(280))
    report, splits = run(
        tmp_path, write("t.csv", "t,n,y\n" + lines), split={"by": "time", "column": "t"}
    )
    spans = [sorted({row["t"] for row in flat(table)}) for table in splits.values()]
    assert spans[0][-1] < spans[1][0] <= spans[1][-1] < spans[2][0]
    assert report.rows == {"train": 220, "eval": 30, "test": 30}


def test_regression_labels_are_written_as_numbers(tmp_path, write):
    path = write("t.csv", "n,y\n" + "".join(f"{i},{i / 4 if i % 10 else ''}\n" for i in range(200)))
    label = LabelConfig(column="y", task="regression", max_missing=0.1)
    report, splits = run(tmp_path, path, label=label, types={"y": "float"})
    assert report.rows_without_label == 20
    assert all(row["y"] == row["n"] / 4 for row in flat(splits["train"]))


NUMBER = {"types": {"n": "float"}}
INTEGER = {"types": {"n": "int"}}
REGRESSION = {
    "label": LabelConfig(column="y", task="regression"),
    "types": {"y": "float"},
}
FEW_MISSING = {"label": LABEL.model_copy(update={"max_missing": 0.1})}

BAD_DATA = {
    "header only": ("n,y\n", {}, r"t\.csv: the header is there, but no rows"),
    "header without an end": ("n,y", {}, r"t\.csv: the header is there, but no rows"),
    "ragged row": (numbered(9, "1\n"), {}, r"t\.csv:11: expected 2 cells, found 1"),
    "no number": (numbered(99, "x,no\n"), NUMBER, r"t\.csv:101: column 'n': 'x' is not a number"),
    "no integer": (numbered(99, "1.5,no\n"), INTEGER, r"t\.csv:101: .* '1\.5' is not an integer"),
    "infinite": (numbered(99, "-inf,no\n"), NUMBER, r"t\.csv:101: .* '-inf' is infinite"),
    "beyond float32": (numbered(99, "4e38,no\n"), NUMBER, r"t\.csv:101: .* '4e38' is infinite"),
    "beyond int64": (numbered(9, "9" * 20 + ",no\n"), INTEGER, "'9{20}' is not an integer of 64"),
    "text among numbers": (
        numbered(2000, "none,no\n"),
        {},
        r"t\.csv:2002: column 'n': 'none' stands among numbers \(1 such cells of 2,001\)",
    ),
    "one class to train on": (
        "n,y\n" + "".join(f"{i},{'yes' if i > 40 else 'no'}\n" for i in range(50)),
        {"split": {"by": "time", "column": "n"}, "types": {"n": "int"}},
        "every training row is of class 'no'; 'yes' occurs only in the other splits",
    ),
    "no class": (
        numbered(99, "1,maybe\n"),
        {},
        r"t\.csv:101: label 'y': 'maybe' is not one of label\.classes \(rows with it: 1\)",
    ),
    "no regression label": ("n,y\n1,2\n1,a\n", REGRESSION, r"t\.csv:3: .* 'a' is not a number"),
    "constant label": ("n,y\n" + "1,yes\n" * 9, {}, "label 'y': every row has the value 'yes'"),
    "missing labels": (numbered(9).replace("yes", ""), FEW_MISSING, "4 of 9 rows have no label"),
    "empty split": ("n,y\n1,yes\n2,no\n", {}, r"data\.split\.\w+: no row .* is empty"),
}


def test_a_class_that_train_lacks_is_reported(tmp_path, write):
    label = LABEL.model_copy(update={"task": "multiclass", "classes": ("no", "yes", "new")})
    path = write("t.csv", numbered(99, "99,new\n"))
    report, _ = run(tmp_path, path, label=label, split={"by": "time", "column": "n"})
    assert report.unseen_classes == ("new",)


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_is_refused(tmp_path, write, name):
    text, changes, message = BAD_DATA[name]
    with pytest.raises(DataError, match=message):
        run(tmp_path, write("t.csv", text), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"label": LABEL.model_copy(update={"column": "Y "})},
            r"label\.column: the table has no column 'Y '",
        ),
        (
            {"split": {"by": "key", "column": "m"}},
            r"data\.split\.column: the table has no column 'm'",
        ),
    ],
)
def test_missing_columns_are_refused_with_their_key(tmp_path, write, changes, message):
    with pytest.raises(ConfigError, match=message):
        run(tmp_path, write("t.csv", numbered(9)), **changes)


def test_a_bad_cell_of_a_parquet_file_is_refused_with_its_row(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": ["1", "2", "x"], "y": ["no", "yes", "no"]}), path)
    with pytest.raises(DataError, match=r"t\.parquet: row 3: column 'n': 'x' is not a number"):
        run(tmp_path, path, types={"n": "float"})


@pytest.mark.parametrize(
    ("late", "settings"),
    [
        # Digits are no words. Words are accepted if they are frequent, if the column has type
        # string, or if they mark missing values.
        ("007,no\n12 345,no\n", {}),
        ("none,no\n", {"types": {"n": "string"}}),
        ("none,no\n" * 3, {}),
        ("none,no\n", {"csv": {"missing": ["none"]}}),
    ],
)
def test_text_among_numbers_is_accepted_if_it_is_a_code_or_configured_or_frequent(
    tmp_path, write, late, settings
):
    report, _ = run(tmp_path, write("t.csv", numbered(2000, late)), **settings)
    assert sum(report.rows.values()) == 2000 + late.count("\n")


def test_the_hint_about_stray_text_quotes_a_column_name_with_a_dot(tmp_path, write):
    path = write("t.csv", numbered(2000, "none,no\n").replace("n,y", "n.m,y", 1))
    with pytest.raises(DataError) as caught:
        run(tmp_path, path)
    assert 'set data.types."n.m" to string' in caught.value.hint


def test_a_list_column_that_nothing_reads_is_left_out_and_reported(tmp_path):
    path = tmp_path / "t.parquet"
    rows = 200
    table = {"x": range(rows), "tags": [["a"]] * rows, "y": ["no", "yes"] * (rows // 2)}
    pq.write_table(pa.table(table), path)
    report, splits = run(tmp_path, path)
    assert splits["train"].schema.names == ["x", "y"]
    assert list(report.unreadable) == ["tags"]
    assert report.unreadable["tags"].startswith("list<")
    with pytest.raises(DataError, match=r"column 'tags' is of type list<"):
        run(tmp_path, path, types={"tags": "string"})


@pytest.mark.parametrize("late", ["1e49", "-1e400"])
def test_a_number_beyond_float32_never_becomes_infinite(tmp_path, write, late):
    path = write("t.csv", numbered(200).replace("199,", f"{late},"))
    _, splits = run(tmp_path, path)
    values = [row["n"] for table in splits.values() for row in flat(table)]
    assert late.encode() in values
    assert types_of(splits["train"]) == {"n": "string", "y": "string"}


def test_a_new_column_leaves_the_rows_of_the_served_model_in_their_splits(tmp_path, write):
    old = write(
        "old.csv", "a,y\n" + "".join(f"{i},{'no' if i % 3 else 'yes'}\n" for i in range(400))
    )
    report, before = run(tmp_path / "old", old)
    new = write(
        "new.csv",
        "a,b,y\n" + "".join(f"{i},{i}.5,{'no' if i % 3 else 'yes'}\n" for i in range(500)),
    )
    again, after = run(tmp_path / "new", new, reference=report.split.to_json())
    assert (again.new_split, again.split) == ("", report.split)
    alone, dealt = run(tmp_path / "alone", new)
    assert alone.split.columns == ("a", "b")
    for name in SPLITS:
        kept = {row["a"] for row in flat(before[name])}
        assert kept <= {row["a"] for row in flat(after[name])}
    assert not {r["a"] for r in flat(before["test"])} <= {r["a"] for r in flat(dealt["test"])}


def test_another_kind_of_a_column_leaves_the_rows_in_their_splits(tmp_path, write):
    path = write(
        "t.csv", "a,y\n" + "".join(f"{i / 4},{'no' if i % 3 else 'yes'}\n" for i in range(400))
    )
    _, numbers = run(tmp_path / "numbers", path)
    _, texts = run(tmp_path / "texts", path, types={"a": "string"})
    for name in SPLITS:
        assert [r["a"] for r in flat(numbers[name])] == [float(r["a"]) for r in flat(texts[name])]


def write_cells(write: Any, name: str, cells: list[str]) -> Path:
    rows = "".join(f'"{cell}",{"no" if i % 3 else "yes"}\n' for i, cell in enumerate(cells))
    path: Path = write(name, "a,y\n" + rows)
    return path


@pytest.mark.parametrize("types", [{"a": "int"}, {"a": "float"}, {"a": "string"}, {}])
@pytest.mark.parametrize(
    ("cells", "csv"),
    [
        ([f"{16777211 + i}" for i in range(400)], {}),
        ([f"{16777211 + i}.0" for i in range(400)], {}),
        ([f"{i},0" for i in range(400)], {"decimal": ","}),
        ([f"{i},000" for i in range(1, 401)], {"thousands": ","}),
        ([f"{i} %" for i in range(400)], {"units": ("%",)}),
    ],
    ids=["codes", "codes with a point", "comma", "thousands", "units"],
)
def test_no_kind_and_no_number_format_moves_a_row_to_another_split(
    tmp_path, write, cells, csv, types
):
    path = write_cells(write, "t.csv", cells)
    plain = [c.replace(" %", "").replace(",000", "000").replace(",", ".") for c in cells]
    by_key = {"split": {"by": "key", "column": "a"}}
    _, expected = run(
        tmp_path / "ints", write_cells(write, "plain.csv", plain), types={"a": "int"}, **by_key
    )
    _, splits = run(tmp_path / "typed", path, types=types, csv=CsvConfig(**csv), **by_key)
    rows = {name: [r["y"] for r in flat(table)] for name, table in splits.items()}
    assert rows == {name: [r["y"] for r in flat(table)] for name, table in expected.items()}


@pytest.mark.parametrize("types", [{"a": "int"}, {"a": "float"}, {"a": "string"}, {}])
@pytest.mark.parametrize(
    "numbers",
    [
        pa.array([16777211 + i for i in range(400)], pa.int64()),
        pa.array([16777211 + i for i in range(400)], pa.uint64()),
        pa.array([16777211 + i for i in range(400)], pa.float64()),
        pa.array([str(16777211 + i) for i in range(400)]),
    ],
    ids=lambda array: str(array.type),
)
def test_no_stored_type_moves_a_row_to_another_split(tmp_path, write, numbers, types):
    path = tmp_path / "t.parquet"
    labels = ["no" if i % 3 else "yes" for i in range(400)]
    pq.write_table(pa.table({"a": numbers, "y": labels}), path)
    csv = write_cells(write, "t.csv", [f"{16777211 + i}" for i in range(400)])
    _, expected = run(tmp_path / "ints", csv)
    _, splits = run(tmp_path / "typed", path, types=types)
    rows = {name: [r["y"] for r in flat(table)] for name, table in splits.items()}
    assert rows == {name: [r["y"] for r in flat(table)] for name, table in expected.items()}


class _Changing(LocalPasses):
    """Passes over files that another program replaces after a pass."""

    def infer_types(self, columns: Sequence[str]) -> dict[str, InferredType]:
        found = super().infer_types(columns)
        (path,) = list_sources(self.parts)
        assert isinstance(path, Path)
        path.write_text(path.read_text(encoding="utf-8").replace("0.5", "a half"), encoding="utf-8")
        return found


def test_a_table_that_changes_between_two_passes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "_block_bytes", lambda header: 1 << 10)
    path = tmp_path / "t.csv"
    path.write_text(numbered(1_000, "0.5,yes\n"), encoding="utf-8")
    config = IngestConfig(DataConfig(path=(str(path),)), LABEL, {"y": "string"})
    directories = {name: tmp_path / f"Split-{name}" for name in SPLITS}
    with pytest.raises(DataError, match="column 'n' was changed while the files were read"):
        ingest([path], config, directories, partial(_Changing, config, directories))
