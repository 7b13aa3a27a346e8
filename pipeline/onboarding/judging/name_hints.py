"""What the name of a column tells about it; only ever a second opinion beside its values."""

from __future__ import annotations

import re

_ENTITIES = frozenset(
    "account buyer card client customer device driver employee guest household member passenger "
    "patient person player rider session student subject subscriber user visitor".split()
)
_IDENTIFIERS = frozenset("guid id identifier ids uuid".split())
_NUMBERINGS = frozenset("idx index key no nr num number".split())
"""Identifiers if they end a name: `order_no`, but not `no_of_rooms`."""
_CODES = frozenset(
    "code codes fips icd id ids naics plz postal postcode sic tract zip zipcode".split()
)
_GROUPS = frozenset(
    "area block branch category channel class cluster county department dept district group kind "
    "level region sector segment shop state store type ward zone".split()
)
_CALENDAR = frozenset(
    "day dow hour hr minute mnth mon month quarter season wday weekday weeknum".split()
)
_TIMES = frozenset("at created date datetime epoch stamp time timestamp ts unix updated".split())
_LATITUDES = frozenset("lat latitude".split())
_LONGITUDES = frozenset("lng lon long longitude".split())


def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name: of `customerID`, `customer_id` and `Customer (ID)` the same.

    `PassengerId` gives `passenger` and `id`, `XMLFile` gives `xml` and `file`.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(w for w in re.split(r"[\W_]+", spaced.lower()) if w)


def names_identifier(name: str) -> bool:
    """Whether the name is that of a number given to each row, such as `order_no`."""
    parts = words(name)
    return bool(_IDENTIFIERS & set(parts)) or (bool(parts) and parts[-1] in _NUMBERINGS)


def names_entity(name: str) -> bool:
    """Whether the name is that of somebody or something with rows of its own: `customer_id`."""
    parts = words(name)
    glued = "".join(parts)
    if glued == "id" or any(
        glued == entity + suffix for entity in _ENTITIES for suffix in ("id", "no")
    ):
        return True
    return bool(_ENTITIES & set(parts)) and names_identifier(name)


def names_code(name: str) -> bool:
    """Whether numbers under this name are names of things, so that no sum of them makes sense."""
    return bool(_CODES & set(words(name)))


def names_group(name: str) -> bool:
    """Whether numbers under this name may be codes; `area` can also be a measure."""
    return bool(_GROUPS & set(words(name)))


def names_calendar(name: str) -> bool:
    """Whether numbers under this name may be parts of a date or a clock time."""
    return bool(_CALENDAR & set(words(name)))


def names_year(name: str) -> bool:
    """Whether the name is that of a year: few of them may be known, but others will come."""
    return bool({"year", "yr"} & set(words(name)))


def names_time(name: str) -> bool:
    """Whether the name speaks of a point in time."""
    return bool(_TIMES & set(words(name)))


def coordinate_limit(name: str) -> float | None:
    """90 for a latitude, 180 for a longitude, None for any other name."""
    parts = set(words(name))
    if parts & _LATITUDES:
        return 90.0
    return 180.0 if parts & _LONGITUDES else None


def names_of(name: str, label: str) -> bool:
    """Whether the name contains the label's, as `price_predicted` does that of `price`."""
    inner, outer = words(label), words(name)
    spans = (outer[i : i + len(inner)] for i in range(len(outer) - len(inner) + 1))
    return bool(inner) and inner != outer and inner in spans
