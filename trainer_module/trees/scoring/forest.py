"""Reads the text of a LightGBM model into arrays.

The keys of the text are those of LightGBM's `Tree::ToString`; how a node decides is told by its
`Tree::NumericalDecision` and `Tree::CategoricalDecision`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.core.errors import PipelineError
from trainer_module.trees.scoring.model_text import split_text

_CATEGORICAL, _DEFAULT_LEFT = 1, 2
"""Bits of a node's `decision_type`. The bits above hold the missing type."""
_NOTHING_MISSING, _NAN_MISSING = 0, 2
"""Missing types. LightGBM's third type takes zeros for missing values."""

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Tree:
    """One tree. Node 0 is the root; each other node comes after its parent."""

    columns: Ints
    """The column that each node tests, [nodes]."""
    thresholds: npt.NDArray[np.float32]
    """A node of numbers sends values up to its threshold to the left, [nodes]."""
    categories: tuple[Ints | None, ...]
    """The categories that each node sends to the left; None for a node of numbers."""
    missing_left: npt.NDArray[np.bool_]
    """Whether each node sends a missing value to the left, [nodes]."""
    children: Ints
    """The left and the right child of each node, [nodes, 2]. A child below 0 is the leaf ~child."""
    values: npt.NDArray[np.float64]
    """The score of each leaf, [leaves]."""


@dataclass(frozen=True)
class Forest:
    """The trees of a model in the order of training."""

    trees: tuple[Tree, ...]
    outputs: int
    """Number of scores of a row. Tree i adds to score i modulo `outputs`."""


def parse_forest(text: str) -> Forest:
    """Returns the forest of a model, whose text is that of `Booster.model_to_string`.

    Raises:
      PipelineError: the model takes zeros for missing values, or its leaves are linear models.
    """
    header, blocks = split_text(text)
    trees = tuple(_parse_tree(_read_keys(block)) for block in blocks)
    return Forest(trees, int(_read_keys(header)["num_tree_per_iteration"]))


def _read_keys(block: str) -> dict[str, str]:
    lines = (line.partition("=") for line in block.splitlines())
    return {key: value for key, separator, value in lines if separator}


def _parse_tree(keys: Mapping[str, str]) -> Tree:
    if keys.get("is_linear", "0") != "0":
        raise PipelineError("trees with linear leaves cannot be exported")
    values = _numbers(keys, "leaf_value", np.float64)
    if len(values) == 1:
        # LightGBM writes no nodes for a tree of one leaf.
        keys = {}
    decisions = _numbers(keys, "decision_type", np.int32)
    is_categorical, missing = (decisions & _CATEGORICAL) != 0, decisions >> 2
    if not np.isin(missing, (_NOTHING_MISSING, _NAN_MISSING)).all():
        raise PipelineError("trees that take zeros for missing values cannot be exported")
    thresholds = _numbers(keys, "threshold", np.float64)
    defaults = (decisions & _DEFAULT_LEFT) != 0
    # Where training saw no missing value, LightGBM takes a missing value for 0.
    missing_left = np.where(missing == _NAN_MISSING, defaults, thresholds >= 0)
    children = [_numbers(keys, key, np.int32) for key in ("left_child", "right_child")]
    return Tree(
        columns=_numbers(keys, "split_feature", np.int32),
        thresholds=round_down(np.where(is_categorical, 0.0, thresholds)),
        categories=_parse_categories(keys, thresholds, is_categorical),
        # A missing category always goes to the right.
        missing_left=missing_left & ~is_categorical,
        children=np.stack(children, axis=1),
        values=values,
    )


def _numbers(keys: Mapping[str, str], key: str, dtype: type[np.generic]) -> npt.NDArray[Any]:
    return np.array(keys.get(key, "").split(), dtype)


def _parse_categories(
    keys: Mapping[str, str],
    thresholds: npt.NDArray[np.float64],
    is_categorical: npt.NDArray[np.bool_],
) -> tuple[Ints | None, ...]:
    bounds = _numbers(keys, "cat_boundaries", np.int64)
    words = _numbers(keys, "cat_threshold", np.uint32)

    def read(number: int) -> Ints:
        return _list_bits(words[bounds[number] : bounds[number + 1]])

    # The threshold of a categorical node is the number of its bit mask.
    return tuple(
        read(int(threshold)) if chosen else None
        for threshold, chosen in zip(thresholds, is_categorical, strict=True)
    )


def _list_bits(words: npt.NDArray[np.uint32]) -> Ints:
    """Returns the positions of the bits that are 1; the lowest bit of a word comes first."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).astype(np.int32)


def round_down(thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Returns the largest float32 numbers that are not above the thresholds.

    A float32 number is at most a float64 threshold exactly if it is at most this number.
    """
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
    below = np.nextafter(rounded, np.float32(-np.inf))
    down: npt.NDArray[np.float32] = np.where(rounded > thresholds, below, rounded)
    return down
