"""The reference is read from the record of the served model."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tfx.utils import io_utils

from components.served_model.served_record import ServedRecord, reference_directory
from components.statistics_view.reference import list_splits, read_reference
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError


def write_record(root: Path) -> Path:
    """Writes a served model with statistics of two splits, and returns its record artifact."""
    statistics = tfdv.generate_statistics_from_dataframe(pd.DataFrame({"a": [1, 2]}))
    kept = Path(reference_directory(str(root), "7"))
    for split in ("eval", "train"):
        (kept / "statistics" / f"Split-{split}").mkdir(parents=True)
        path = kept / "statistics" / f"Split-{split}" / "FeatureStats.pb"
        path.write_bytes(statistics.SerializeToString())
    io_utils.write_pbtxt_file(
        str(kept / "schema" / ArtifactFile.SCHEMA), tfdv.infer_schema(statistics)
    )
    record = ServedRecord(
        version="7",
        model="",
        evaluation="",
        statistics="",
        schema="",
        label="{}",
        data_key="",
        run_key="",
        directory=str(root),
    )
    (root / "record").mkdir()
    (root / "record" / ArtifactFile.SERVED_RECORD).write_text(record.to_json(), encoding="utf-8")
    return root / "record"


def test_schema_and_statistics_of_the_served_model_are_read(tmp_path: Path) -> None:
    reference = read_reference(str(write_record(tmp_path)), "served")
    assert reference is not None
    assert reference.version == "7"
    assert [feature.name for feature in reference.schema.feature] == ["a"]
    assert {s: part.num_examples for s, part in reference.statistics.items()} == {
        "train": 2,
        "eval": 2,
    }


def test_there_is_no_reference_on_a_first_run_or_if_none_is_wanted(tmp_path: Path) -> None:
    (tmp_path / ArtifactFile.SERVED_RECORD).write_text("{}", encoding="utf-8")
    assert read_reference(str(tmp_path), "served") is None
    assert read_reference(str(write_record(tmp_path)), "none") is None


def test_a_removed_schema_is_refused_with_its_path(tmp_path: Path) -> None:
    record = write_record(tmp_path)
    kept = Path(reference_directory(str(tmp_path), "7")) / "schema"
    (kept / ArtifactFile.SCHEMA).unlink()
    kept.rmdir()
    with pytest.raises(ConfigError, match="the schema of the served model 7 is gone") as caught:
        read_reference(str(record), "served")
    assert "schema.reference=none" in caught.value.hint


def test_splits_are_listed_in_the_order_of_their_use(tmp_path: Path) -> None:
    for name in ("Split-zoo", "Split-test", "Split-eval", "Split-train", "other"):
        (tmp_path / name).mkdir()
    assert list_splits(str(tmp_path)) == ["train", "eval", "test", "zoo"]
