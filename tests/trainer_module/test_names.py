"""Names and ids of transformed features."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pipeline.config import Feature
from pipeline.config.sections.features import Categorical, Hashed, Numeric
from trainer_module.names import (
    LABEL_KEY,
    add_numbers,
    column_of,
    count_ids,
    network_names,
    part_of,
    places_of,
    transformed_name,
)


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("trip_miles", "trip_miles"),
        ("Trip Miles", r"trip_miles__[0-9a-f]{8}"),
        ("größe (cm)", r"gr_e_cm__[0-9a-f]{8}"),
        ("日本", r"column__[0-9a-f]{8}"),
        ("1st", r"column_1st__[0-9a-f]{8}"),
        ("_label", r"label__[0-9a-f]{8}"),
        ("fare__0123abcd", r"fare_0123abcd__[0-9a-f]{8}"),
        ("x" * 300, r"x{48}__[0-9a-f]{8}"),
        ("con", r"con__[0-9a-f]{8}"),
        ("../../etc/passwd", r"etc_passwd__[0-9a-f]{8}"),
        ("..", r"column__[0-9a-f]{8}"),
    ],
)
def test_names_stay_readable(column: str, name: str) -> None:
    assert re.fullmatch(name, transformed_name(column))


@given(st.sets(st.text(min_size=1), min_size=2, max_size=8))
def test_names_are_safe_and_distinct(columns: set[str]) -> None:
    names = {transformed_name(column) for column in columns}
    assert len({name.lower() for name in names}) == len(columns)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) for name in names)
    assert LABEL_KEY not in names


@pytest.mark.parametrize(
    ("feature", "ids"),
    [
        ({"kind": "numeric"}, None),
        ({"kind": "boolean"}, None),
        ({"kind": "timestamp"}, None),
        ({"kind": "bucketized", "buckets": 4}, 5),
        ({"kind": "bucketized", "boundaries": [1, 2, 3]}, 5),
        ({"kind": "hashed", "buckets": 10}, 11),
        ({"kind": "categorical", "oov_buckets": 2}, 103),
        ({"kind": "text"}, 103),
    ],
)
def test_the_kind_decides_the_number_of_ids(feature: dict[str, object], ids: int | None) -> None:
    parsed = TypeAdapter(Feature).validate_python(feature)
    assert count_ids(parsed, 100) == ids


def test_each_two_places_have_a_distance() -> None:
    degrees = {n: Numeric() for n in ("x", "y", "z")}
    places = {n: Numeric(longitude=o) for n, o in zip(("a", "b", "c"), degrees, strict=True)}
    features = add_numbers(places | degrees)
    distances = [name for name in features if places_of(name)]
    assert [places_of(name) for name in distances] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [column_of(name) for name in distances] == ["a", "a", "b"]
    assert part_of(distances[0]) == "distance to b"
    assert {places_of(n) for n in degrees | places} == {None}
    assert {part_of(n) for n in degrees | places} == {""}
    assert add_numbers(features) == features
    assert len(set(network_names(places | degrees))) == 9


def test_an_ordered_category_is_a_number_too() -> None:
    columns = {"code number": Numeric(), "code": Hashed(ordered=True), "kind": Categorical()}
    features = add_numbers(columns)
    assert [(column_of(name), feature.kind) for name, feature in features.items()] == [
        ("code", "hashed"),
        ("code", "numeric"),
        ("code number", "numeric"),
        ("kind", "categorical"),
    ]
    assert add_numbers(features) == features
    assert len(set(network_names(columns))) == 4
