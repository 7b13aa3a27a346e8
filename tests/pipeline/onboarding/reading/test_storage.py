"""How the files of a table are stored, and their rows as text."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from pipeline.core.errors import ConfigError
from pipeline.onboarding import propose_config


def test_gzip_is_read(propose, signal, to_csv):
    packed = gzip.compress(to_csv(signal()).encode())
    config = propose(packed, file="trees.csv.gz").config
    assert (config.name, config.data.source, config.data.path) == (
        "trees",
        "csv",
        ("trees.csv.gz",),
    )


def test_several_files_and_globs_are_one_table(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    for year in (2020, 2021):
        Path(f"trips-{year}.csv").write_text(to_csv(signal(seed=year)))
    proposal = propose_config(["trips-*.csv"], "y", Path("new/config.yaml"))
    assert proposal.config.data.path == ("trips-*.csv",)
    assert "800 rows" in Path("new/config.yaml").read_text()
    both = propose_config(["trips-2020.csv", "trips-2021.csv"], "y", Path("two.yaml"))
    assert both.config.data.path == ("trips-2020.csv", "trips-2021.csv")


def test_parquet_of_many_types_is_read(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(signal())
    frame["flag"] = frame["x"] > frame["x"].mean() + frame["y"] - 0.5
    frame["when"] = pd.date_range("2020-01-01", periods=len(frame), freq="7H")
    frame["code"] = (frame.index % 5).astype("float")
    frame.loc[::9, "code"] = None
    frame["c"] = frame["c"].astype("category")
    frame["y"] = frame["y"].astype("float")
    frame.to_parquet("trees.pq", index=False)
    proposal = propose_config(["trees.pq"], "y", Path("config.yaml"))
    kinds = {name: feature.kind for name, feature in proposal.config.features.items()}
    assert proposal.config.data.source == "parquet"
    assert kinds == {
        "x": "numeric", "c": "categorical", "flag": "boolean",
        "when": "timestamp", "code": "categorical",
    }  # fmt: skip
    assert proposal.config.label.classes == ("0", "1")


def test_infinity_in_parquet_is_read_as_missing(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(signal())
    frame.loc[::7, "x"] = float("inf")
    frame.to_parquet("trees.parquet", index=False)
    config = propose_config(["trees.parquet"], "y", Path("config.yaml")).config
    assert (config.features["x"].kind, config.data.types["x"]) == ("numeric", "string")


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no file matches"):
        propose_config([str(tmp_path / "none.csv")], "y", tmp_path / "config.yaml")
