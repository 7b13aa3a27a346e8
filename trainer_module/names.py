"""The names and ids that Transform, the trainer and the Evaluator have to agree on.

This module imports no TensorFlow: the command line reads names from it.
"""

from __future__ import annotations

import hashlib
import re

from pipeline.config import Feature

LABEL_KEY = "_label"
"""The label among Transform's outputs; no transformed name starts with an underscore."""
WEIGHT_KEY = "_weight"
"""How much the row counts, among Transform's outputs, where the label names such a column."""

FIRST_CATEGORY_ID = 1
"""Ids of categories and buckets start behind that of a missing value, 0."""
FIRST_TOKEN_ID = 2
"""Ids of tokens start behind the padding, 0, and a missing text, 1."""
TOKEN_OOV_BUCKETS = 1

_SAFE_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
# Such files cannot be made, or open something else, where the model may be served: on Windows.
_DEVICE_NAME = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_LOOKS_HASHED = re.compile(r".*__[0-9a-f]{8}")


def transformed_name(column: str) -> str:
    """The name of a column's feature after Transform: safe as a layer, file and Parquet name.

    A column that is such a name already keeps it. Any other becomes its readable part and eight
    hexadecimal digits of its hash, so that `Fare (km)` and `fare.km` stay apart, on file systems
    without regard to case as well.
    """
    if _SAFE_NAME.fullmatch(column) and not (
        _LOOKS_HASHED.fullmatch(column) or _DEVICE_NAME.fullmatch(column)
    ):
        return column
    readable = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")[:48]
    if not readable[:1].isalpha():
        readable = f"column_{readable}".rstrip("_")
    return f"{readable}__{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def count_ids(feature: Feature, vocabulary_size: int) -> int | None:
    """How many ids the transformed feature can take, or None for one that consists of numbers.

    `vocabulary_size` only matters where the feature has a vocabulary.
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
    return None


def first_token_id(feature: Feature) -> int:
    """The id of the most frequent entry of the feature's vocabulary."""
    return FIRST_TOKEN_ID if feature.kind == "text" else FIRST_CATEGORY_ID
