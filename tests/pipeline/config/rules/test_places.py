"""Latitudes that name a longitude: what is refused, and by which key."""

from __future__ import annotations

import pytest

from pipeline.config.rules.places import find_broken_places
from pipeline.config.sections.features import Categorical, Features, Numeric

DEGREES: Features = {"x": Numeric(), "y": Numeric(), "area": Categorical()}


def find(**latitudes: str) -> list[tuple[str, str]]:
    places = {name: Numeric(longitude=other) for name, other in latitudes.items()}
    broken = find_broken_places({**DEGREES, **places})
    return [(".".join(map(str, rule.key)), str(rule)) for rule in broken]


def test_two_places_are_right() -> None:
    assert not find(a="x", b="y")
    assert not find(a="x", b="x")  # Two points of the same meridian.
    assert not find()


@pytest.mark.parametrize("column", ["absent", "area"])
def test_a_longitude_must_be_a_number(column: str) -> None:
    [(key, problem)] = find(a="x", b=column)
    assert key == "features.b.longitude"
    assert f"'{column}' is no numeric feature" in problem


def test_a_single_place_has_no_distance() -> None:
    [(key, problem)] = find(a="x")
    assert key == "features.a.longitude"
    assert "second latitude" in problem


def test_a_latitude_is_no_longitude() -> None:
    assert [key for key, _ in find(a="x", b="a")] == ["features.b.longitude"]
    assert [key for key, _ in find(a="a", b="x")] == ["features.a.longitude"]


def test_many_places_have_too_many_distances() -> None:
    assert not find(**{f"a{i}": "x" for i in range(8)})
    [(key, problem)] = find(**{f"a{i}": "x" for i in range(9)})
    assert key == "features.a8.longitude"
    assert "at most 8" in problem
