"""The section `features`: the columns that the model sees, each with a kind."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from pipeline.config.base import Section
from pipeline.core.date_formats import TimestampFormat
from pipeline.core.zones import AS_WRITTEN, NONE, check_zone

_WIDEST_EMBEDDING = 50
"""Limit of the default width, which bounds the memory of features with many categories."""


class Numeric(Section):
    """A number, scaled."""

    later_keys = frozenset(("max_unreadable", "longitude"))

    kind: Literal["numeric"] = "numeric"
    scale: Literal["standard", "log", "quantile"] = "standard"
    """`standard`: zero mean and unit variance; `log`: `standard` after sign(x) log(1 + |x|), for \
heavy tails; `quantile`: mapped to a normal distribution by its quantiles."""
    missing_indicator: bool = True
    """Whether the model gets a second input that says whether the value is missing."""
    max_unreadable: float = Field(default=0.05, ge=0, le=1)
    """Of a text column: the share of values in split train that may be no numbers; they count as \
missing, and a larger share stops the run."""
    longitude: str | None = Field(default=None, min_length=1)
    """Of a column of latitudes in degrees: the column with the longitudes of the same places. The \
model also gets the distance, as the crow flies, of each two such places in a row, such as start \
and end of a trip."""


class Bucketized(Section):
    """A number, cut into buckets that are embedded like categories."""

    later_keys = frozenset(("max_unreadable",))

    kind: Literal["bucketized"] = "bucketized"
    buckets: int = Field(default=10, ge=2, le=1000)
    """The number of buckets; their boundaries are quantiles of the training split."""
    boundaries: tuple[float, ...] = ()
    """Fixed boundaries instead of quantiles, in ascending order."""
    embedding_dimension: int | None = Field(default=None, ge=1)
    """The width of the embedding; left out, it follows from the number of buckets."""
    max_unreadable: float = Field(default=0.05, ge=0, le=1)
    """Of a text column: the share of values in split train that may be no numbers; they count as \
missing, and a larger share stops the run."""

    @model_validator(mode="after")
    def _check_ascending(self) -> Bucketized:
        if list(self.boundaries) != sorted(set(self.boundaries)):
            raise ValueError("boundaries must be ascending")
        return self


class Categorical(Section):
    """A category, looked up in the vocabulary of the training split."""

    later_keys = frozenset(("ordered",))

    kind: Literal["categorical"] = "categorical"
    vocabulary_size: int = Field(default=10_000, ge=1)
    """The number of most frequent values that get their own embedding."""
    min_count: int = Field(default=1, ge=1)
    """The fewest rows of a value in the vocabulary; rarer values share the out-of-vocabulary \
buckets."""
    oov_buckets: int = Field(default=1, ge=1)
    """The number of buckets that values outside the vocabulary are hashed into."""
    embedding_dimension: int | None = Field(default=None, ge=1)
    """The width of the embedding (default: chosen by the size of the vocabulary)."""
    ordered: bool = False
    """Whether the values are numbers whose order tells something, such as postal codes: the model \
then gets the number beside the category. A value that is no number counts as a missing number."""


class Hashed(Section):
    """A category with too many values for a vocabulary, hashed into buckets."""

    later_keys = frozenset(("ordered",))

    kind: Literal["hashed"] = "hashed"
    buckets: int = Field(default=1000, ge=2)
    """The number of buckets."""
    embedding_dimension: int | None = Field(default=None, ge=1)
    """The width of the embedding; left out, it follows from the number of buckets."""
    ordered: bool = False
    """Whether the values are numbers whose order tells something, such as postal codes: the model \
then gets the number beside the category. A value that is no number counts as a missing number."""


class Boolean(Section):
    """A yes or no."""

    kind: Literal["boolean"] = "boolean"
    true_values: tuple[str, ...] = ("true", "t", "yes", "y", "1", "1.0", "on")
    """The values that mean true, in any case; every other value that is not missing means false."""


def _check_zone(zone: str) -> str:
    if zone not in (AS_WRITTEN, NONE):
        check_zone(zone)
    return zone


TimeZone = Annotated[str, AfterValidator(_check_zone)]

TimestampPart = Literal["hour", "weekday", "day", "month", "year", "day_of_year", "date"]


class Timestamp(Section):
    """A point in time, taken apart into numbers; cyclic parts become sine and cosine."""

    later_keys = frozenset(("zone",))

    kind: Literal["timestamp"] = "timestamp"
    format: TimestampFormat = "iso"
    """`iso`: 2026-11-20 or 2026-11-20T14:40:00; `month_first`: 11/20/2026 02:40:00 PM; \
`day_first`: 20.11.2026 14:40; `epoch_seconds` and `epoch_milliseconds` count since 1970."""
    zone: TimeZone = AS_WRITTEN
    """The clock whose hour and date the model sees. `as_written`: the clock time in the text, \
whatever its offset from UTC; `none`: the clock time in the text, and a text with an offset from \
UTC counts as unreadable; `utc`, a name such as Europe/Berlin, or an offset such as \
+02:00: a time with an offset is converted to this zone, and a time without one is of this zone. \
Times that count since 1970 are UTC with `as_written` and `none`."""
    parts: tuple[TimestampPart, ...] = Field(
        default=("hour", "weekday", "day", "month", "year"), min_length=1
    )
    """The parts that the model sees. `date` counts days, with the time of day as their fraction, \
so that the model can learn a trend; a date before or after those of split train counts as the \
first or the last of them. `day_of_year` \
is a cycle of 366 days."""
    max_unreadable: float = Field(default=0.05, ge=0, le=1)
    """The share of values in split train that may have another format; they count as missing, and \
a larger share stops the run. The server and `predict` refuse such values."""


class Text(Section):
    """Free text, cut into lower-case tokens whose embeddings are averaged."""

    later_keys = frozenset(("tfidf_buckets", "word_ngrams", "character_ngrams", "max_ngrams"))

    kind: Literal["text"] = "text"
    vocabulary_size: int = Field(default=10_000, ge=1)
    """The number of most frequent tokens that get their own embedding."""
    max_tokens: int = Field(default=64, ge=1)
    """The number of distinct tokens read from the beginning of each text."""
    embedding_dimension: int = Field(default=16, ge=1)
    """The width of the embeddings."""
    tfidf_buckets: int = Field(default=0, ge=0, le=1 << 20)
    """The number of buckets that n-grams are hashed into, to be weighted by TF-IDF. Networks add \
up one trained weight for each n-gram beside its other layers, and trees get the n-grams that are \
most related to the label. 0 leaves n-grams out."""
    word_ngrams: int = Field(default=2, ge=1, le=5)
    """The longest n-gram of neighbouring words; 1 takes single words only."""
    character_ngrams: int = Field(default=0, ge=0, le=8)
    """The longest n-gram of characters within a word, from 2 on, for codes, names and misspelt \
words; 0 takes none."""
    max_ngrams: int = Field(default=256, ge=1, le=4096)
    """The number of words that n-grams are made of, from the beginning of each text, and of \
distinct n-grams that are kept, those of the greatest weights."""

    @field_validator("character_ngrams")
    @classmethod
    def _check_length(cls, longest: int) -> int:
        if longest == 1:
            raise ValueError("must be 0, or 2 to 8: n-grams have at least two characters")
        return longest


def _expand_shorthand(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


Feature = Annotated[
    Numeric | Bucketized | Categorical | Hashed | Boolean | Timestamp | Text,
    Field(discriminator="kind"),
]
FeatureOrKind = Annotated[Feature, BeforeValidator(_expand_shorthand)]
"""A feature as written in YAML: a mapping with a kind, or the kind alone."""

Features = dict[str, FeatureOrKind]


def default_embedding_dimension(id_count: int) -> int:
    """Returns the width of an embedding without `embedding_dimension`, between 1 and 50."""
    return max(1, min(_WIDEST_EMBEDDING, round(1.6 * math.pow(id_count, 0.56))))
