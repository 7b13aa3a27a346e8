"""Proposals for the project's samples and scikit-learn's data sets."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from pipeline.onboarding import propose_config

ROOT = Path(__file__).parents[3]


def kinds_of(proposal):
    return {name: feature.kind for name, feature in proposal.config.features.items()}


def propose_sample(tmp_path, table, label):
    return propose_config([str(ROOT / "data" / table)], label, tmp_path / "config.yaml")


def test_taxi_sample_gets_the_expected_features(tmp_path):
    proposal = propose_sample(tmp_path, "chicago_taxi/sample.csv", "big_tipper")
    config = proposal.config
    assert config.name == "chicago-taxi"
    assert (config.label.task, config.label.classes) == ("binary", ("0", "1"))
    assert kinds_of(proposal) == {
        "pickup_community_area": "categorical", "dropoff_community_area": "categorical",
        "pickup_census_tract": "categorical", "dropoff_census_tract": "categorical",
        "pickup_latitude": "numeric", "pickup_longitude": "numeric",
        "dropoff_latitude": "numeric", "dropoff_longitude": "numeric",
        "trip_start_month": "categorical", "trip_start_hour": "categorical",
        "trip_start_day": "categorical", "trip_start_timestamp": "timestamp",
        "fare": "numeric", "trip_miles": "numeric", "trip_seconds": "numeric",
        "payment_type": "categorical", "company": "categorical",
    }  # fmt: skip
    assert config.features["trip_start_timestamp"].format == "epoch_seconds"
    assert config.data.types["pickup_census_tract"] == "int"
    assert [w.split(":")[0] for w in proposal.warnings] == ["trip_start_timestamp", "tips"]
    assert "`--time-column trip_start_timestamp`" in proposal.warnings[0]
    assert "tips: left out" in proposal.warnings[1]
    assert config.evaluation.thresholds[0].metric == "auc"
    assert 0.7 <= config.evaluation.thresholds[0].at_least <= 0.95


def test_penguins_get_the_expected_features(tmp_path):
    proposal = propose_sample(tmp_path, "penguins/penguins.csv", "species")
    config = proposal.config
    assert (config.label.task, config.label.classes) == (
        "multiclass",
        ("Adelie", "Chinstrap", "Gentoo"),
    )
    assert kinds_of(proposal) == {
        "island": "categorical", "bill_length_mm": "numeric", "bill_depth_mm": "numeric",
        "flipper_length_mm": "numeric", "body_mass_g": "numeric", "sex": "categorical",
        "year": "numeric",
    }  # fmt: skip
    assert not proposal.warnings
    assert config.data.split.test == 0.2


def test_bike_sharing_gets_the_expected_features(tmp_path):
    proposal = propose_sample(tmp_path, "bike_sharing/bike_sharing.csv", "bikers")
    assert proposal.config.label.task == "regression"
    kinds = kinds_of(proposal)
    assert {kinds[n] for n in ("season", "mnth", "hr", "weekday", "weathersit")} == {"categorical"}
    assert {kinds[n] for n in ("holiday", "workingday")} == {"boolean"}
    assert {kinds[n] for n in ("day", "temp", "atemp", "hum", "windspeed")} == {"numeric"}
    assert not proposal.warnings


def test_parts_of_the_bike_sharing_label_are_left_out(tmp_path):
    frame = pd.read_csv(ROOT / "data/bike_sharing/bike_sharing.csv")
    frame["registered"] = np.random.default_rng(0).binomial(frame["bikers"], 0.8)
    frame["casual"] = frame["bikers"] - frame["registered"]
    frame.to_csv(tmp_path / "bikes.csv", index=False)
    proposal = propose_config([str(tmp_path / "bikes.csv")], "bikers", tmp_path / "config.yaml")
    assert not {"registered", "casual"} & set(proposal.config.features)
    assert "temp" in proposal.config.features


@pytest.mark.parametrize(
    ("name", "task", "columns"),
    [
        ("iris", "multiclass", 4),
        ("wine", "multiclass", 13),
        ("digits", "multiclass", 61),
        ("breast_cancer", "binary", 30),
        ("diabetes", "regression", 10),
    ],
)
def test_data_sets_of_scikit_learn_get_their_task_without_warnings(tmp_path, name, task, columns):
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    frame.to_csv(tmp_path / f"{name}.csv", index=False)
    proposal = propose_config([str(tmp_path / f"{name}.csv")], "target", tmp_path / "config.yaml")
    assert proposal.config.label.task == task
    assert len(proposal.config.features) == columns
    assert not proposal.warnings


def test_every_guess_has_a_reason(tmp_path):
    propose_sample(tmp_path, "chicago_taxi/sample.csv", "big_tipper")
    lines = (tmp_path / "config.yaml").read_text().splitlines()
    features = lines[lines.index("features:") + 1 : lines.index("label:") - 1]
    assert all("#" in line for line in features)
    assert any(line.strip().startswith("payment_type: categorical") for line in features)
    keys = ("task", "classes", "delimiter", "missing", "epochs", "family", "decay", "at_least")
    for key in keys:
        assert any(line.strip().startswith(f"{key}:") and "  # " in line for line in lines), key


def test_the_same_table_gives_the_same_file(tmp_path):
    texts = set()
    for name in ("a.yaml", "b.yaml"):
        sample = ROOT / "data/penguins/penguins.csv"
        propose_config([str(sample)], "species", tmp_path / name)
        texts.add((tmp_path / name).read_text())
    assert len(texts) == 1
