"""Checks the features that are places: a latitude that names the column of its longitude."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.config.base import RuleError
from pipeline.config.sections.features import Features, Numeric

_MOST_PLACES = 8
"""Each two places have a distance, so eight of them have 28."""


def find_broken_places(features: Features) -> Iterator[RuleError]:
    """Yields each `longitude` that is no feature of its own, or without a second place."""
    named = {n: f.longitude for n, f in features.items() if isinstance(f, Numeric) and f.longitude}
    for latitude, longitude in named.items():
        key = ("features", latitude, "longitude")
        if not isinstance(features.get(longitude), Numeric):
            yield RuleError(
                key, f"'{longitude}' is no numeric feature; add it to the section features"
            )
        elif longitude in named:
            yield RuleError(key, f"'{longitude}' names a longitude itself; name one column only")
        elif len(named) == 1:
            yield RuleError(
                key,
                "a single place has no distance to another one; give a second latitude its "
                "longitude, or leave this key out",
            )
    if len(named) > _MOST_PLACES:
        latitude = list(named)[_MOST_PLACES]
        yield RuleError(
            ("features", latitude, "longitude"),
            f"at most {_MOST_PLACES} latitudes may name a longitude, since each two places have a "
            "distance",
        )
