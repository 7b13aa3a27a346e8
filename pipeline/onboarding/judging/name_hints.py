"""Hints in the names of columns. Other modules here decide, and look at the values first."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

_ENTITIES = frozenset(
    "account buyer card client customer device donor driver employee guest household member "
    "passenger patient person player policyholder rider session student subject subscriber tenant "
    "user vehicle visitor "
    "kunde patient nutzer benutzer mitglied konto haushalt fahrzeug fahrer schueler versicherter "
    "geraet utilisateur compte abonne cliente paciente usuario klant gebruiker klient "
    "email mail iban imei imsi mac msisdn phone ssn telefon username login vin".split()
)
"""Who or what owns several rows, in English, German, French, Spanish, Dutch and Polish."""
_ENTITY_STEMS = frozenset(
    "kunden patienten mitglieds vertrags versicherten geraete fahrzeug".split()
)
"""German words that mean an entity only before another word, as in `Kunden-Nr`."""
_IDENTIFIERS = frozenset(
    "guid id identifier ids kennung rowid rowname rownames rownum rownumber uuid".split()
)
_NUMBERINGS = frozenset("idx index key no nr num number nummer ref reference row".split())
"""They mean an identifier only at the end of a name: `order_no`, but not `no_of_rooms`."""
_UMLAUTS = {ord(c): spelt for c, spelt in zip("äöüß", ("ae", "oe", "ue", "ss"), strict=True)}
_SUFFIXES = ("id", "no", "nr", "number", "nummer")
"""What names of entities end in, also without a gap: `userid`, `Kundennummer`."""
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
_COORDINATE = re.compile(r"(?:(?P<latitude>lat|latitude)|lng|lon|long|longitude)(?P<number>\d*)")


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


def is_name_of_names(name: str) -> bool:
    """Whether the values are names of someone or something, such as `business_name`."""
    return split_words(name)[-1:] == ("name",)


def is_entity_name(name: str) -> bool:
    """Whether the name means someone or something that owns several rows.

    Such as `customer_id`, `Kunden-Nr`, `patient` or `email`, but not `customer_age`.
    """
    parts = split_words(_fold(name))
    glued = "".join(parts)
    if glued == "id" or glued in _ENTITIES:
        return True
    stems = (glued.removesuffix(suffix) for suffix in _SUFFIXES if glued.endswith(suffix))
    if any(stem in _ENTITIES | _ENTITY_STEMS for stem in stems):
        return True
    is_named = is_identifier_name(name) or is_name_of_names(name)
    return bool(_ENTITIES & set(parts)) and is_named


def _fold(name: str) -> str:
    """Returns the name without the marks of umlauts and accents, which not every file keeps."""
    plain = unicodedata.normalize("NFKD", name.translate(_UMLAUTS))
    return "".join(c for c in plain if not unicodedata.combining(c))


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


Coordinate = Literal["latitude", "longitude"]


@dataclass(frozen=True)
class NamedCoordinate:
    """What the name of a column of degrees says."""

    coordinate: Coordinate
    place: tuple[str, ...]
    """The other words: `pickup` for `pickup_latitude`, `1` for `lat1`; none for `lat`."""

    @property
    def limit(self) -> float:
        """The largest degree."""
        return 90.0 if self.coordinate == "latitude" else 180.0


def read_coordinate(name: str) -> NamedCoordinate | None:
    """Returns what the name says if it means a latitude or a longitude."""
    words = split_words(name)
    for position, word in enumerate(words):
        if match := _COORDINATE.fullmatch(word):
            number = (match["number"],) if match["number"] else ()
            place = (*words[:position], *number, *words[position + 1 :])
            return NamedCoordinate("latitude" if match["latitude"] else "longitude", place)
    return None


def contains_label_name(name: str, label_column: str) -> bool:
    """Whether the name contains the label's name, as `price_predicted` contains `price`."""
    inner, outer = split_words(label_column), split_words(name)
    spans = (outer[i : i + len(inner)] for i in range(len(outer) - len(inner) + 1))
    return bool(inner) and inner != outer and inner in spans
