"""Latitudes find their longitudes where a row has several places."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.config.sections.features import Categorical, Feature, Numeric
from pipeline.onboarding.choosing.families.places import pair_places
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice

TRIP = ("pickup_latitude", "pickup_longitude", "dropoff_latitude", "dropoff_longitude")


def choose(*names: str, **others: Feature | None) -> dict[str, FeatureChoice]:
    features = {name: Numeric() for name in names} | others
    return {n: FeatureChoice(Guess(f, "why") if f else None) for n, f in features.items()}


def find_longitudes(
    choices: dict[str, FeatureChoice], degrees: Collection[str] | None = None
) -> dict[str, str]:
    paired = pair_places(choices, choices if degrees is None else degrees)
    features = {n: c.feature.value for n, c in paired.items() if c.feature}
    return {n: f.longitude for n, f in features.items() if isinstance(f, Numeric) and f.longitude}


def test_each_latitude_gets_the_longitude_of_its_place() -> None:
    assert find_longitudes(choose(*TRIP, "fare")) == {
        "pickup_latitude": "pickup_longitude",
        "dropoff_latitude": "dropoff_longitude",
    }
    paired = pair_places(choose(*TRIP), TRIP)["pickup_latitude"].feature
    assert paired
    assert "distances" in paired.why


def test_a_single_place_stays_as_it_is() -> None:
    choices = choose("lat", "lon", "price")
    assert pair_places(choices, [*choices]) == choices


def test_a_place_without_one_of_its_numbers_does_not_count() -> None:
    assert not find_longitudes(choose(*TRIP[:3]))
    assert not find_longitudes(choose(*TRIP[:3], dropoff_longitude=None))
    assert not find_longitudes(choose(*TRIP[:3], dropoff_longitude=Categorical()))
    assert not find_longitudes(choose(*TRIP, "pickup_lat"))


def test_numbers_that_are_no_degrees_are_not_paired() -> None:
    assert not find_longitudes(choose(*TRIP), degrees=TRIP[:3])


def test_a_shape_of_many_points_gets_no_distances() -> None:
    four = choose(*(f"{degree}{i}" for i in range(4) for degree in ("lat", "lon")))
    assert len(find_longitudes(four)) == 4
    five = choose(*(f"{degree}{i}" for i in range(5) for degree in ("lat", "lon")))
    assert not find_longitudes(five)
