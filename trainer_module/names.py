"""Names and ids that Transform, the trainer and the Evaluator have to agree on.

This module imports no TensorFlow, since the command line imports it.
"""

from __future__ import annotations

import hashlib
import itertools
import re

from pipeline.config import Feature, Features
from pipeline.config.sections.features import Categorical, Hashed, Numeric

LABEL_KEY = "_label"
"""Name of the label among Transform's outputs. No transformed name starts with an underscore."""
WEIGHT_KEY = "_weight"
"""Name of the row weights among Transform's outputs, if `label.weight_column` is set."""

CYCLES = {"hour": 24, "weekday": 7, "day": 31, "month": 12, "day_of_year": 366}
"""The parts of a timestamp that are a sine and a cosine for a network, each with its last value."""
FIRST_CATEGORY_ID = 1
"""First id of a category or a bucket: 0 is a missing value."""
FIRST_TOKEN_ID = 2
"""First id of a token: 0 is padding, 1 a missing text."""
TOKEN_OOV_BUCKETS = 1
"""Number of ids that all tokens outside of the vocabulary share."""

_NUMBER = "\0number"
"""Behind the name of a column: the name of the feature that is the number of an ordered category.
No column that a CSV file or a request can name has a character 0."""
_DISTANCE = "\0distance\0"
"""Between the latitudes of two places: the name of the feature that is their distance."""
_TREES_PREFIX = "_trees_"
# No transformed name has capital letters. A network's signature takes no name with an underscore in
# front.
_NGRAMS_PREFIX, _TFIDF_PREFIX = "NGRAMS_", "TFIDF_"

_SAFE_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
# Windows, where the model may be served, reserves these file names for devices.
_DEVICE_NAME = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_LOOKS_HASHED = re.compile(r".*__[0-9a-f]{8}")


def transformed_name(column: str) -> str:
    """Returns a column's name after Transform, which is safe as a layer, file and Parquet name.

    A column whose name is already safe keeps it. Any other name becomes its readable part and
    eight hexadecimal digits of its hash. So `Fare (km)` and `fare.km` get different names, even on
    a file system that ignores case.
    """
    if _SAFE_NAME.fullmatch(column) and not (
        _LOOKS_HASHED.fullmatch(column) or _DEVICE_NAME.fullmatch(column)
    ):
        return column
    readable = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")[:48]
    if not readable[:1].isalpha():
        readable = f"column_{readable}".rstrip("_")
    return f"{readable}__{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def add_numbers(features: Features) -> Features:
    """Returns the features that the model gets, with those that are made of columns.

    Beside each ordered category stands its number, which comes from the column that `column_of`
    returns for its name. Each two places have their distance, see `places_of`.
    """
    numbers = {
        # Unreadable values are no mistake here: the category knows them.
        column + _NUMBER: Numeric(max_unreadable=1)
        for column, feature in features.items()
        if isinstance(feature, Categorical | Hashed) and feature.ordered
    }
    latitudes = [n for n, f in features.items() if isinstance(f, Numeric) and f.longitude]
    distances = {
        _DISTANCE.join(pair): Numeric(scale="log")
        for pair in itertools.combinations(sorted(latitudes), 2)
    }
    return dict(sorted({**features, **numbers, **distances}.items()))


def column_of(name: str) -> str:
    """Returns the column of the table that a feature of `add_numbers` comes from.

    Of a distance, the latitude of the first place.
    """
    return name.partition("\0")[0]


def part_of(name: str) -> str:
    """Returns what a feature is beside the column that it comes from; "" for the column itself."""
    if name.endswith(_NUMBER):
        return "number"
    places = places_of(name)
    return f"distance to {places[1]}" if places else ""


def places_of(name: str) -> tuple[str, str] | None:
    """Returns the latitudes of the two places of a distance; None for another feature."""
    first, is_distance, second = name.partition(_DISTANCE)
    return (first, second) if is_distance else None


def trees_name(column: str) -> str:
    """Returns the name of a column of numbers that Transform encodes for trees."""
    return _TREES_PREFIX + transformed_name(column)


def ngrams_name(column: str) -> str:
    """Returns the name of the n-grams of a text column."""
    return _NGRAMS_PREFIX + transformed_name(column)


def tfidf_name(column: str) -> str:
    """Returns the name of the TF-IDF weights of a text column's n-grams."""
    return _TFIDF_PREFIX + transformed_name(column)


def has_ngrams(feature: Feature) -> bool:
    """Whether Transform encodes the n-grams of the feature too."""
    return feature.kind == "text" and feature.tfidf_buckets > 0


def network_names(features: Features) -> list[str]:
    """Returns the names of Transform's outputs that a network takes."""
    names = [transformed_name(name) for name in add_numbers(features)]
    texts = [column for column, feature in features.items() if has_ngrams(feature)]
    return [*names, *map(ngrams_name, texts), *map(tfidf_name, texts)]


def is_for_trees(name: str) -> bool:
    """Whether one of Transform's outputs is encoded for trees, and so nothing for a network."""
    return name.startswith(_TREES_PREFIX)


def count_ids(feature: Feature, vocabulary_size: int) -> int | None:
    """Returns the number of ids of the transformed feature, or None for a feature of numbers.

    `vocabulary_size` is the number of entries found; only features with a vocabulary use it.

    Raises:
      ValueError: the kind is missing here.
    """
    if feature.kind == "bucketized":
        buckets = len(feature.boundaries) + 1 if feature.boundaries else feature.buckets
        return FIRST_CATEGORY_ID + buckets
    if feature.kind == "hashed":
        return FIRST_CATEGORY_ID + feature.buckets
    if feature.kind == "categorical":
        return FIRST_CATEGORY_ID + vocabulary_size + feature.oov_buckets
    if feature.kind == "text":
        return FIRST_TOKEN_ID + vocabulary_size + TOKEN_OOV_BUCKETS
    if feature.kind in ("numeric", "boolean", "timestamp"):
        return None
    raise ValueError(f"count_ids does not know features of kind {feature.kind}")


def first_token_id(feature: Feature) -> int:
    """Returns the id of the most frequent entry of the feature's vocabulary."""
    return FIRST_TOKEN_ID if feature.kind == "text" else FIRST_CATEGORY_ID
