"""Records are split by the rules of tables."""

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.util import assert_that, equal_to
from record_files import to_example

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.record_splits.executor import check_tally
from components.record_splits.settings import RecordSettings
from components.record_splits.splitting import Tally, _add, _Counts, split_records
from components.tables.splitting.split_record import plan_split
from pipeline.config import DataConfig, LabelConfig, SplitConfig
from pipeline.config.sections.beam import RUNNER
from pipeline.core.contracts import Split

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.5)
SHARES = {"train": 0.6, "eval": 0.2, "test": 0.2}


def make_rows(count: int = 900) -> list[dict[str, Any]]:
    """Returns rows with missing values; `late` has its first value in the last row."""
    return [
        {
            "id": i,
            "customer": i % 50,
            "x": i / 8 if i % 7 else None,
            "late": "here" if i == count - 1 else None,
            "c": "abc"[i % 3],
            "y": None if i % 10 == 0 else ("no", "yes")[i % 2],
        }
        for i in range(count)
    ]


def split_table(rows: list[dict[str, Any]], split: SplitConfig, directory: Path) -> dict[str, Any]:
    """Returns the ids of each split of the rows as a Parquet file."""
    path = directory / "t.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    config = IngestConfig(
        DataConfig(source="parquet", path=(str(path),), split=split), LABEL, {"y": "string"}
    )
    places = {name: directory / f"Split-{name}" for name in Split.ALL}
    ingest([path], config, places)
    return {n: sorted(v[0] for v in pq.read_table(d)["id"].to_pylist()) for n, d in places.items()}


def id_of(record: bytes) -> int:
    example = to_example({})
    example.ParseFromString(record)
    return int(example.features.feature["id"].int64_list.value[0])


@pytest.mark.parametrize(
    "settings", [{"seed": 0}, {"seed": 7}, {"by": "key", "column": "customer"}]
)
def test_records_are_in_the_splits_of_the_same_rows_in_a_table(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    split = SplitConfig(**SHARES, **settings)
    rows = make_rows()
    expected = split_table(rows, split, tmp_path)
    tally_file = tmp_path / "tally.json"
    with beam.Pipeline(argv=[RUNNER]) as pipeline:
        records = pipeline | beam.Create([to_example(row) for row in rows])
        parts = split_records(records, RecordSettings(split, "y", 0.5, ("no",)), str(tally_file))
        for name, part in parts.items():
            ids = part | f"Ids{name}" >> beam.Map(id_of)
            assert_that(ids, equal_to(expected[name]), label=f"Check{name}")
    tally = Tally.from_json(tally_file.read_text())
    assert tally.rows == {name: len(ids) for name, ids in expected.items()}
    assert tally.without_label == 90
    assert tally.unknown_labels == {"yes": 450}
    assert (tally.found, tally.trained) == (("no",), ("no",))
    assert tally.names == ("c", "customer", "id", "late", "x", "y")


def test_a_class_of_test_records_alone_is_found_but_not_trained(tmp_path: Path) -> None:
    split, rows = SplitConfig(**SHARES), make_rows()
    test_rows = set(split_table(rows, split, tmp_path)["test"])
    for row in rows:
        row["y"] = "rare" if row["id"] in test_rows and row["y"] else row["y"]
    tally_file = tmp_path / "tally.json"
    settings = RecordSettings(split, "y", 0.5, ("no", "yes", "rare", "never"))
    with beam.Pipeline(argv=[RUNNER]) as pipeline:
        serialized = [to_example(row).SerializeToString() for row in rows]
        split_records(pipeline | beam.Create(serialized), settings, str(tally_file))
    tally = Tally.from_json(tally_file.read_text())
    assert (tally.found, tally.trained) == (("no", "rare", "yes"), ("no", "yes"))
    assert check_tally(tally, settings) == ("rare",)


def test_records_with_a_new_feature_stay_in_the_splits_of_the_served_model(tmp_path: Path) -> None:
    split = SplitConfig(**SHARES)
    rows = make_rows(30)
    expected = split_table(rows, split, tmp_path)
    served = plan_split(split, list(rows[0]), "y", None)
    settings = RecordSettings(split, "y", 0.5, (), served.to_json())
    tally_file = tmp_path / "tally.json"
    with beam.Pipeline(argv=[RUNNER]) as pipeline:
        records = pipeline | beam.Create([to_example({**row, "new": row["id"]}) for row in rows])
        parts = split_records(records, settings, str(tally_file))
        for name, part in parts.items():
            ids = part | f"Ids{name}" >> beam.Map(id_of)
            assert_that(ids, equal_to(expected[name]), label=f"Check{name}")


def test_splits_may_be_empty(tmp_path: Path) -> None:
    tally_file = tmp_path / "tally.json"
    settings = RecordSettings(SplitConfig(by="key", column="customer"), "y", 0.5, ("no",))
    # A label need not be valid UTF-8.
    rows = [{"id": i, "customer": 1, "y": label} for i, label in enumerate((b"no", b"no", b"\xff"))]
    with beam.Pipeline(argv=[RUNNER]) as pipeline:
        split_records(pipeline | beam.Create(map(to_example, rows)), settings, str(tally_file))
    tally = Tally.from_json(tally_file.read_text())
    assert tally.rows == {"train": 3, "eval": 0, "test": 0}
    assert tally.unknown_labels == {"\ufffd": 1}


def test_the_counts_of_batches_add_up_in_any_order() -> None:
    one = _Counts((1, 0, 0, 0), {"x": 1}, frozenset("a"), frozenset("a"))
    other = _Counts((0, 2, 1, 1), {"x": 2, "z": 1}, frozenset("b"), frozenset())
    both = _Counts((1, 2, 1, 1), {"x": 3, "z": 1}, frozenset("ab"), frozenset("a"))
    assert _add([one, other]) == _add([other, one]) == both
