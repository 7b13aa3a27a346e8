"""Hints in the names of columns. Other modules here decide, and look at the values first."""

from __future__ import annotations

import re

_ENTITIES = frozenset(
    "account buyer card client customer device driver employee guest household member passenger "
    "patient person player rider session student subject subscriber user visitor".split()
)
_IDENTIFIERS = frozenset("guid id identifier ids uuid".split())
_NUMBERINGS = frozenset("idx index key no nr num number".split())
"""They mean an identifier only at the end of a name: `order_no`, but not `no_of_rooms`."""
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


def split_words(name: str) -> tuple[str, ...]:
    """Returns the lower-case words of a name, such as `xml` and `file` for `XMLFile`.

    `customerID`, `customer_id` and `Customer (ID)` give the same words.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(w for w in re.split(r"[\W_]+", spaced.lower()) if w)


def is_identifier_name(name: str) -> bool:
    """Whether the name means a number that identifies a row, such as `order_no`."""
    parts = split_words(name)
    return bool(_IDENTIFIERS & set(parts)) or (bool(parts) and parts[-1] in _NUMBERINGS)


def is_entity_name(name: str) -> bool:
    """Whether the name means someone or something that owns several rows: `customer_id`."""
    parts = split_words(name)
    glued = "".join(parts)
    if glued == "id" or any(
        glued == entity + suffix for entity in _ENTITIES for suffix in ("id", "no")
    ):
        return True
    return bool(_ENTITIES & set(parts)) and is_identifier_name(name)


def is_code_name(name: str) -> bool:
    """Whether numbers with this name are codes, such as `zip`, and not quantities."""
    return bool(_CODES & set(split_words(name)))


def is_group_name(name: str) -> bool:
    """Whether numbers with this name may be codes of groups; `area` can also be a quantity."""
    return bool(_GROUPS & set(split_words(name)))


def is_calendar_name(name: str) -> bool:
    """Whether numbers with this name may be parts of a date or a time, such as `month`."""
    return bool(_CALENDAR & set(split_words(name)))


def is_year_name(name: str) -> bool:
    """Whether the name means a year: no category, since new years will come."""
    return bool({"year", "yr"} & set(split_words(name)))


def is_time_name(name: str) -> bool:
    """Whether the name means a point in time."""
    return bool(_TIMES & set(split_words(name)))


def coordinate_limit(name: str) -> float | None:
    """Returns the largest degree: 90 for a latitude, 180 for a longitude, None for other names."""
    parts = set(split_words(name))
    if parts & _LATITUDES:
        return 90.0
    return 180.0 if parts & _LONGITUDES else None


def contains_label_name(name: str, label_column: str) -> bool:
    """Whether the name contains the label's name, as `price_predicted` contains `price`."""
    inner, outer = split_words(label_column), split_words(name)
    spans = (outer[i : i + len(inner)] for i in range(len(outer) - len(inner) + 1))
    return bool(inner) and inner != outer and inner in spans
