"""Estimates how long the proposed training takes, so that nobody waits without knowing for what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.config import Features
from pipeline.config.sections.features import (
    Categorical,
    Hashed,
    Numeric,
    Text,
    Timestamp,
    default_embedding_dimension,
)
from pipeline.core.text import counted
from pipeline.onboarding.choosing.sizing import Size, estimate_seconds

_CORES = 2
"""The most cores that the estimate knows of."""
_ONE_CORE = 1.6
"""A network takes so many times as long on one core as on two (docs/quality.md, late and cuts)."""
_SECONDS_A_CELL = 8e-9
"""Seconds in which LightGBM finds a tree, by cell of the table. Measured were, on two cores, 3e-9
with 300,000 rows and 13 numbers, and 8e-9 with 21,000 rows; on arrivals, 7e-9 and 11e-9 times the
factor by which the network exceeded its own estimate."""
_TOKENS_A_COLUMN = 2
"""The columns of tokens are mostly zeros: LightGBM took half as long for each of them on docstrings
as the number above says."""
_TREES = 500
"""Trees after which early stopping ends most fits; `model.trees.iterations` allows more."""
_SECONDS_A_WEIGHT = 4e-9
"""Seconds in which a step updates one weight of an embedding: each step updates all of them. On two
cores, measured were 3.4e-9 for `wide_deep` and 4.2e-9 for `ensemble`."""
_SECONDS_A_TOKEN = 6e-8
"""Seconds that a token of a row takes in a step; measured were 6e-8 and 5e-8."""
_SECONDS_AN_NGRAM = 2e-8
"""Seconds that an n-gram of a row takes in a step; measured were 1.8e-8 and 1.2e-8."""


@dataclass(frozen=True)
class Load:
    """How much the models read of a row, and how much a step of the network updates."""

    features: int
    tree_columns: int
    """Texts and times are many columns of the trees."""
    tokens: int = 0
    """The most tokens of a row's texts."""
    ngrams: int = 0
    """The most n-grams of a row's texts."""
    weights: int = 0
    """The weights of the embeddings of categories and tokens, and of n-grams."""


def measure_load(
    features: Features, distinct: Mapping[str, int], outputs: int, text_tokens: int
) -> Load:
    """Returns the load of the features.

    Args:
      features: the proposed features.
      distinct: the number of different values of each column.
      outputs: the numbers that the model computes for a row.
      text_tokens: the tokens of each text that become columns of the trees.
    """
    columns = tokens = ngrams = weights = 0
    for name, feature in features.items():
        columns += 1
        if isinstance(feature, Timestamp):
            columns += len(feature.parts) - 1
        elif isinstance(feature, Text):
            columns += text_tokens // _TOKENS_A_COLUMN
            tokens += feature.max_tokens
            ngrams += feature.max_ngrams if feature.tfidf_buckets else 0
            weights += feature.vocabulary_size * feature.embedding_dimension
            weights += feature.tfidf_buckets * outputs
        elif isinstance(feature, Categorical | Hashed):
            columns += int(feature.ordered)
            most = feature.buckets if isinstance(feature, Hashed) else feature.vocabulary_size
            ids = min(most, distinct[name])
            weights += ids * (feature.embedding_dimension or default_embedding_dimension(ids))
    places = sum(isinstance(f, Numeric) and f.longitude is not None for f in features.values())
    distances = math.comb(places, 2)
    columns += distances
    return Load(len(features) + distances, columns, tokens, ngrams, weights)


@dataclass(frozen=True)
class Budget:
    """The seconds of the network's epochs, and of the trees."""

    network: float
    trees: float

    def describe(self, cores: int) -> str:
        """Returns the time in words."""
        minutes = counted(math.ceil((self.network + self.trees) / 60), "minute")
        where = "this core" if cores == 1 else "these 2 cores"
        if cores > _CORES:
            # Nobody has measured how much more cores help.
            where = f"{_CORES} cores (this machine has {cores})"
        return (
            f"training takes about {minutes} on {where}, or less if the eval loss stops falling "
            "early; `training.seconds` limits it"
        )


def estimate_budget(
    size: Size, train_rows: int, load: Load, outputs: int, cores: int = 2
) -> Budget:
    """Returns the budget of a training of all epochs, and of as many trees as most tables need.

    Without trees in the proposal, their seconds are 0.

    More than two cores are taken for two: how much they help a network of this size depends on the
    machine.

    Args:
      size: the proposed settings.
      train_rows: the rows of split train.
      load: how much the models read.
      outputs: the numbers that the model computes for a row; each has trees of its own.
      cores: the cores of this machine.
    """
    slower = _ONE_CORE if cores == 1 else 1.0
    steps = size.epochs.value * max(1, train_rows // size.global_batch_size.value)
    seen = steps * size.global_batch_size.value
    network = estimate_seconds(size.network.value, seen, load.features)
    network += seen * (load.tokens * _SECONDS_A_TOKEN + load.ngrams * _SECONDS_AN_NGRAM)
    network += steps * load.weights * _SECONDS_A_WEIGHT
    trees = _TREES if size.has_trees else 0
    if size.tree_iterations:
        trees = min(trees, size.tree_iterations.value)
    return Budget(
        network=network * slower, trees=trees * estimate_iteration(train_rows, load, outputs)
    )


def estimate_iteration(train_rows: int, load: Load, outputs: int) -> float:
    """Returns the seconds of one iteration of the trees."""
    return train_rows * load.tree_columns * outputs * _SECONDS_A_CELL
