"""Mistakes in paths and column names are found before TensorFlow is imported."""

import io
import subprocess
import sys
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import Bucket, Proxy

from components.columnar_example_gen.source_checks import check_source, find_nearest_column
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import ConfigError, DataError

SEEMS = "the file seems to be separated by"
LABEL = LabelConfig(column="big_tipper", task="regression")


def check(path: object, features: tuple[str, ...] = (), **data: object) -> list[str]:
    return check_source(DataConfig(path=(str(path),), **data), LABEL, features)


def test_the_columns_are_returned(write):
    path = write("t.csv", "fare,,big_tipper\n1,2,3\n")
    assert check(path, ("fare", "gone")) == ["fare", "column_2", "big_tipper"]


def test_each_of_many_files_in_a_store_is_opened_once(proxy: Proxy, bucket: Bucket) -> None:
    """A table of a terabyte has thousands of files, and each answer takes tens of milliseconds."""
    file = io.BytesIO()
    pq.write_table(pa.table({"fare": [1.0], "big_tipper": [2.0]}), file)
    for number in range(30):
        bucket.put(f"trips/{number:02}.parquet", file.getvalue())
    check(bucket.url("trips/*.parquet"), ("fare",), source="parquet")
    read = Counter(path for method, path, _ in proxy.requests if path.endswith(".parquet"))
    assert len(read) == 30
    assert set(read.values()) == {1}


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("fare,bigtipper", "did you mean 'bigtipper'?"),
        ("fare,Big_Tipper ", "did you mean 'Big_Tipper '?"),
        ("fare,x", "its columns are fare, x"),
        ("fare;tip", "its only column is 'fare;tip': is data.csv.delimiter right?"),
        ("fare;big_tipper", f"{SEEMS} semicolons: set data.csv.delimiter to ';'"),
        ('"fare, net"\t"big_tipper"', f"{SEEMS} tabs: set data.csv.delimiter to '\\t'"),
        ("a,b|big_tipper|c,d", f"{SEEMS} vertical bars: set data.csv.delimiter to '|'"),
    ],
)
def test_a_missing_label_column_is_refused_with_a_hint(write, header, hint):
    with pytest.raises(ConfigError, match=r"label\.column: the table has no column") as caught:
        check(write("t.csv", header + "\n"))
    assert caught.value.hint == hint


def test_a_missing_split_column_is_refused_with_a_hint(write):
    path = write("t.csv", "customer_id,big_tipper\n")
    with pytest.raises(ConfigError, match=r"data\.split\.column: .*'customer'") as caught:
        check(path, split={"by": "key", "column": "customer"})
    assert caught.value.hint == "did you mean 'customer_id'?"


def test_a_table_without_any_feature_is_refused(write):
    with pytest.raises(ConfigError, match="features: no feature is a column of"):
        check(write("t.csv", "fare,big_tipper\n"), ("a", "b"))


def test_a_bad_header_is_refused(write):
    with pytest.raises(DataError, match="both named 'a'"):
        check(write("t.csv", "a,a,big_tipper\n"))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"data\.path: no file matches"):
        check(tmp_path / "no.csv")


def test_tfrecord_files_only_have_to_exist(write, tmp_path):
    assert check(write("t.tfrecord", "x"), source="tfrecord") == []
    with pytest.raises(ConfigError, match=r"data\.path: no file matches"):
        check(tmp_path / "no.tfrecord", source="tfrecord")


def test_bigquery_is_not_checked():
    data = DataConfig(source="bigquery", query="SELECT 1")
    assert check_source(data, LABEL, ("a",)) == []


@pytest.mark.parametrize(("name", "nearest"), [("FARE", "fare"), ("fair", "fare"), ("zzz", None)])
def test_the_nearest_column_is_suggested(name, nearest):
    assert find_nearest_column(name, ["tips", "fare"]) == nearest


def test_the_checks_import_neither_tensorflow_nor_tfx():
    code = (
        "import sys, components.columnar_example_gen.source_checks as _\n"
        "import components.columnar_example_gen.ingest as _\n"
        "print(sorted({'tensorflow', 'tfx', 'pandas', 'apache_beam'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("needed", [("tags",), ()])
def test_a_list_column_is_refused_only_where_it_is_needed(tmp_path, needed):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"fare": [1], "tags": [["a"]], "big_tipper": [1]}), path)
    if needed:
        with pytest.raises(DataError, match=r"t\.parquet: column 'tags' is of type list<"):
            check(path, needed, source="parquet")
    else:
        assert check(path, ("fare",), source="parquet") == ["fare", "big_tipper"]
