"""The taxi sample has the properties of taxi trips; test_generate.py compares its bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

SAMPLE = Path(__file__).parents[2] / "data" / "chicago_taxi" / "sample.csv"


@pytest.fixture(scope="module")
def trips() -> pd.DataFrame:
    return pd.read_csv(SAMPLE)


def test_label_is_a_tip_over_a_fifth_of_the_fare(trips: pd.DataFrame) -> None:
    for precision in (np.float64, np.float32):
        tips, fare = trips.tips.astype(precision), trips.fare.astype(precision)
        assert ((tips > precision(0.2) * fare) == (trips.big_tipper == 1)).all()
    assert trips.columns[-1] == "big_tipper"
    assert 0.15 < trips.big_tipper.mean() < 0.25


def test_timestamp_agrees_with_its_parts(trips: pd.DataFrame) -> None:
    start = pd.to_datetime(trips.trip_start_timestamp, unit="s")
    assert (start.dt.month == trips.trip_start_month).all()
    assert (start.dt.hour == trips.trip_start_hour).all()
    assert ((start.dt.dayofweek + 1) % 7 + 1 == trips.trip_start_day).all()
    assert (trips.trip_start_timestamp % 900 == 0).all()
    assert set(start.dt.year) == {2013, 2014, 2015, 2016}


@pytest.mark.parametrize("end", ["pickup", "dropoff"])
def test_places_outside_the_city_are_missing(trips: pd.DataFrame, end: str) -> None:
    outside = trips[f"{end}_community_area"].isna()
    assert 0.005 < outside.mean() < 0.06
    for column in ("latitude", "longitude"):
        assert (trips[f"{end}_{column}"].isna() == outside).all()
    assert trips[f"{end}_census_tract"].isna()[outside].all()


def test_tracts_of_a_trip_are_hidden_together(trips: pd.DataFrame) -> None:
    inside = trips.dropna(subset=["pickup_community_area", "dropoff_community_area"])
    hidden = inside.pickup_census_tract.isna()
    assert (hidden == inside.dropoff_census_tract.isna()).all()
    assert 0.15 < hidden.mean() < 0.35
    loop, edge = (inside.pickup_community_area == area for area in (32, 2))
    assert hidden[loop].mean() < 0.3 < hidden[edge].mean()


@pytest.mark.parametrize("end", ["pickup", "dropoff"])
def test_places_belong_to_their_area(trips: pd.DataFrame, end: str) -> None:
    known = trips.dropna(subset=[f"{end}_community_area"])
    by_area = known.groupby(f"{end}_community_area")
    for column in ("latitude", "longitude"):
        assert (by_area[f"{end}_{column}"].agg(np.ptp) < 0.03).all()
    tracts = known.dropna(subset=[f"{end}_census_tract"])
    assert (tracts[f"{end}_census_tract"] // 10_000 % 100 == tracts[f"{end}_community_area"]).all()


def test_fare_follows_distance_and_time(trips: pd.DataFrame) -> None:
    measured = trips[trips.trip_miles > 0].dropna(subset=["trip_seconds"])
    assert measured.fare.corr(measured.trip_miles) > 0.9
    assert measured.fare.corr(measured.trip_seconds) > 0.7
    assert trips.fare.min() >= 3.25


def test_rush_hour_is_slow(trips: pd.DataFrame) -> None:
    weekday = trips[trips.trip_start_day.between(2, 6) & trips.trip_miles.between(1, 3)]
    speed = 3600 * weekday.trip_miles / weekday.trip_seconds
    hour = weekday.trip_start_hour
    assert speed[hour.eq(8) | hour.eq(17)].median() < 0.75 * speed[hour.lt(3)].median()


def test_cash_tips_are_hardly_ever_recorded(trips: pd.DataFrame) -> None:
    tipped = (trips.tips > 0).groupby(trips.payment_type).mean()
    assert 0 < tipped["Cash"] < 0.01
    assert tipped["Credit Card"] > 0.8
    assert trips.payment_type.nunique() >= 5


def test_the_share_of_card_payments_grows_by_the_year(trips: pd.DataFrame) -> None:
    year = pd.to_datetime(trips.trip_start_timestamp, unit="s").dt.year
    share = (trips.payment_type == "Credit Card").groupby(year).mean()
    assert share.is_monotonic_increasing


def test_companies_have_a_long_tail(trips: pd.DataFrame) -> None:
    trips_of = trips.company.value_counts()
    assert len(trips_of) >= 60
    assert (trips_of < 20).sum() >= 50
    assert 0.2 < trips.company.isna().mean() < 0.4


def test_some_meters_record_no_miles(trips: pd.DataFrame) -> None:
    unrecorded = (trips.trip_miles == 0).groupby(trips.company).mean()
    assert unrecorded["Red Line Cab Association"] > 0.6
    assert unrecorded["Magnificent Mile Taxi"] < 0.1


def test_big_tippers_can_be_learned_without_the_tips(trips: pd.DataFrame) -> None:
    features = trips.drop(columns=["tips", "big_tipper"])
    for column in ("payment_type", "company"):
        features[column] = features[column].astype("category").cat.codes.astype("float64")
    features = features.astype("float64")
    train = np.arange(len(trips)) < 10_000
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    model.fit(features[train], trips.big_tipper[train])
    scores = model.predict_proba(features[~train])[:, 1]
    cards_only = trips.payment_type[~train] == "Credit Card"
    auc = roc_auc_score(trips.big_tipper[~train], scores)
    assert 0.8 < auc < 0.97
    assert auc > roc_auc_score(trips.big_tipper[~train], cards_only) + 0.01
