"""The feature engineering: turns raw columns into the inputs of the network.

TFX's Transform calls `preprocessing_fn` once and runs its analyses on the training split. The
served model contains the same graph.

Each column becomes one dense tensor under `transformed_name(column)`:

- float32 [batch, width] for numbers (numeric, boolean, timestamp). The last entry is the missing
  indicator: 1 for a missing value, whose other entries are 0. With
  `missing_indicator: false`, a numeric feature has none;
- int64 [batch, 1] for categories (bucketized, categorical, hashed). 0 is a missing value;
- int64 [batch, max_tokens] for text. 0 is padding, 1 is a missing text. With `tfidf_buckets`,
  there are also the text's n-grams and their weights: see `encoding.tfidf`.

An ordered category has a number beside its ids, as a numeric feature of its own. The distance of
each two places is such a feature, too.

For boosted trees, `encoding.for_trees` encodes all kinds of numbers under `trees_name(column)`, as
float32 without a missing indicator. For trees alone, the numbers above are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from pipeline.config.sections.features import (
    Boolean,
    Bucketized,
    Categorical,
    Feature,
    Hashed,
    Numeric,
    Text,
    Timestamp,
)
from pipeline.core.contracts import MISSING_STRING
from trainer_module.encoding.distances import measure_distance
from trainer_module.encoding.for_trees import NUMBERS, encode_numbers
from trainer_module.encoding.label import encode_label
from trainer_module.encoding.ngrams import NGrams, count_ngrams
from trainer_module.encoding.scaling import (
    SCORE_QUANTILES,
    apply_to_columns,
    bucket_of,
    normal_score,
    quantile_boundaries,
    scale_to_range,
    signed_log,
    standardize,
)
from trainer_module.encoding.tfidf import encode_ngrams
from trainer_module.encoding.timestamps import Moment, parse_moment
from trainer_module.encoding.token_counts import Vocabulary
from trainer_module.encoding.tokens import distinct_tokens, split_tokens
from trainer_module.encoding.unreadable import check_readable, select_readable
from trainer_module.encoding.values import as_number, as_stripped_text, as_text, is_one_of
from trainer_module.encoding.vocabularies import index_tokens
from trainer_module.names import (
    CYCLES,
    FIRST_CATEGORY_ID,
    FIRST_TOKEN_ID,
    LABEL_KEY,
    TOKEN_OOV_BUCKETS,
    WEIGHT_KEY,
    column_of,
    has_ngrams,
    places_of,
    transformed_name,
    trees_name,
)
from trainer_module.sections import Sections

_READ_AS_NUMBER = ("numeric", "bucketized")
_READ_AS_STRIPPED_TEXT = ("categorical", "hashed", "boolean")
_SCALES = ("standard", "log")


def preprocessing_fn(
    inputs: Mapping[str, tf.Tensor], custom_config: Mapping[str, Any]
) -> dict[str, tf.Tensor]:
    """Returns the transformed features, the encoded label and the row weights, by name.

    `inputs` holds each raw column as a dense [batch, 1] tensor of float32, int64 or string.
    """
    sections = Sections(custom_config)
    features = sections.encoded_features
    raw = {name: _take(name, inputs, features) for name in features}
    parsed = parse(raw, features)
    check_readable(select_readable(raw, parsed, features))
    for_networks = _leave_out_numbers(features, sections.encodes_for_networks)
    analysis = analyze(parsed, for_networks)
    columns = {name: Column(parsed[name], analysis.get(name)) for name in features}
    outputs = {}
    for kind in dict.fromkeys(feature.kind for feature in for_networks.values()):
        of_kind = {name: f for name, f in for_networks.items() if f.kind == kind}
        for name, output in _PREPROCESSORS[kind](columns, of_kind).items():
            outputs[transformed_name(name)] = output
    texts = {name: f for name, f in features.items() if f.kind == "text" and has_ngrams(f)}
    outputs |= encode_ngrams({name: parsed[name].ngrams for name in texts}, texts)
    if sections.encodes_for_trees:
        for name, output in encode_numbers(parsed, features).items():
            outputs[trees_name(name)] = output
    outputs[LABEL_KEY] = encode_label(inputs[sections.label.column], sections.label)
    if sections.label.weight_column is not None:
        outputs[WEIGHT_KEY] = as_number(inputs[sections.label.weight_column])
    return outputs


def _take(name: str, inputs: Mapping[str, tf.Tensor], features: Mapping[str, Feature]) -> tf.Tensor:
    """Returns the column of a feature, or the distance of two places, [batch, 1]."""
    if not (places := places_of(name)):
        return inputs[column_of(name)]
    degrees = []
    for latitude in places:
        place = features[latitude]
        assert isinstance(place, Numeric)
        assert place.longitude is not None
        degrees += [as_number(inputs[latitude]), as_number(inputs[place.longitude])]
    return measure_distance(*degrees)


def _leave_out_numbers(
    features: Mapping[str, Feature], encodes_for_networks: bool
) -> Mapping[str, Feature]:
    """Returns the features to encode for networks; trees alone need no numbers of theirs."""
    if encodes_for_networks:
        return features
    return {name: f for name, f in features.items() if f.kind not in NUMBERS}


@dataclass(frozen=True)
class Column:
    """A parsed column and its analysis."""

    values: Any
    """The parsed column: numbers or text, [batch, 1], Words or a Moment."""
    analysis: Any
    """The result of `analyze` for the column, or None if its kind needs no analysis."""


Columns = Mapping[str, Column]
Outputs = Mapping[str, tf.Tensor]


@dataclass(frozen=True)
class Words:
    """A text column, split into tokens."""

    tokens: tf.RaggedTensor
    """string [batch, up to max_tokens]"""
    ngrams: NGrams | None
    """None without `tfidf_buckets`."""
    is_missing: tf.Tensor
    """bool [batch, 1]"""


def parse(inputs: Mapping[str, tf.Tensor], features: Mapping[str, Feature]) -> dict[str, Any]:
    """Returns the parsed columns: float32 or string [batch, 1], Words, or a Moment."""
    parsed = {n: _PARSERS[f.kind](inputs[n], f) for n, f in features.items() if f.kind in _PARSERS}
    for parser, kinds in ((as_number, _READ_AS_NUMBER), (as_stripped_text, _READ_AS_STRIPPED_TEXT)):
        raw = {name: inputs[name] for name, feature in features.items() if feature.kind in kinds}
        for dtype in dict.fromkeys(column.dtype for column in raw.values()):
            parsed |= apply_to_columns(parser, {n: c for n, c in raw.items() if c.dtype == dtype})
    return parsed


def analyze(parsed: Mapping[str, Any], features: Mapping[str, Feature]) -> dict[str, tf.Tensor]:
    """Returns the result of the analysis of each column whose kind needs an analysis.

    The result is the standardised number, the boundaries between quantiles, or the indices of the
    tokens. Columns are analysed together: for Beam, many analyses cost more than many columns.
    """

    def select(wants: Mapping[str, Callable[[Any, Any], Any]]) -> dict[str, Any]:
        asked = {n: wants[f.kind](parsed[n], f) for n, f in features.items() if f.kind in wants}
        return {name: answer for name, answer in asked.items() if answer is not None}

    scales = select({"numeric": lambda _, feature: feature.scale})
    plain, logs = ({n: parsed[n] for n, s in scales.items() if s == scale} for scale in _SCALES)
    quantiles, tokens = select(_QUANTILES_WANTED), select(_TOKENS)
    return {
        **standardize(plain | apply_to_columns(signed_log, logs)),
        # In a tensor apart from the numbers: otherwise each number would depend on the parsing of
        # all timestamps.
        **_scale_calendars(parsed, {n: f for n, f in features.items() if f.kind == "timestamp"}),
        **quantile_boundaries({name: parsed[name] for name in quantiles}, quantiles),
        **index_tokens(tokens, {name: make_vocabulary(name, features[name]) for name in tokens}),
    }


def for_each_column(preprocess: Callable[[Column, Any], tf.Tensor]) -> Callable[..., Outputs]:
    """Returns `preprocess` applied to one column after the other.

    This suits kinds of which a table rarely has hundreds of columns.
    """

    def preprocess_all(columns: Columns, features: Mapping[str, Feature]) -> Outputs:
        return {name: preprocess(columns[name], feature) for name, feature in features.items()}

    return preprocess_all


def preprocess_numeric(columns: Columns, features: Mapping[str, Numeric]) -> Outputs:
    """Returns the scaled number and its missing indicator, float32 [batch, 2].

    Without `missing_indicator`, returns the number alone, float32 [batch, 1].
    """
    scaled = {
        name: normal_score(columns[name].values, columns[name].analysis)
        if feature.scale == "quantile"
        else columns[name].analysis
        for name, feature in features.items()
    }
    marked = [name for name, feature in features.items() if feature.missing_indicator]
    if not marked:
        return scaled
    numbers = tf.concat([columns[name].values for name in marked], axis=1)
    missing = tf.cast(tf.math.is_nan(numbers), tf.float32)
    pairs = tf.stack([tf.concat([scaled[name] for name in marked], axis=1), missing], axis=2)
    return scaled | dict(zip(marked, tf.unstack(pairs, len(marked), axis=1), strict=True))


def preprocess_bucketized(column: Column, feature: Bucketized) -> tf.Tensor:
    """Returns the id of the bucket, int64 [batch, 1]."""
    boundaries = tf.constant(feature.boundaries) if feature.boundaries else column.analysis
    return _ids(bucket_of(column.values, boundaries), tf.math.is_nan(column.values))


def preprocess_categorical(columns: Columns, features: Mapping[str, Categorical]) -> Outputs:
    """Returns the ids of the categories, int64 [batch, 1]."""
    analysis = {name: columns[name].analysis for name in features}
    text = {name: columns[name].values for name in features}
    return apply_to_columns(
        lambda index, values: _ids(index, values == MISSING_STRING), analysis, text
    )


def preprocess_hashed(column: Column, feature: Hashed) -> tf.Tensor:
    """Returns the id of the hash bucket, int64 [batch, 1]."""
    bucket = tf.strings.to_hash_bucket_fast(column.values, feature.buckets)
    return _ids(bucket, column.values == MISSING_STRING)


def preprocess_boolean(column: Column, feature: Boolean) -> tf.Tensor:
    """Returns 1 for true and the missing indicator, float32 [batch, 2]."""
    is_missing = column.values == MISSING_STRING
    true_values = tuple(value.lower() for value in feature.true_values)
    is_true = is_one_of(tf.strings.lower(column.values, "utf-8"), true_values)
    return _with_indicator([tf.cast(is_true & ~is_missing, tf.float32)], is_missing)


def preprocess_timestamp(column: Column, feature: Timestamp) -> tf.Tensor:
    """Returns float32 [batch, width]: the parts in their order and the missing indicator.

    A cyclic part is its sine and cosine, year and date are one scaled number each.
    """
    moment: Moment = column.values
    parts = [
        value
        for part in feature.parts
        for value in (_sine_and_cosine(moment, part) if part in CYCLES else [column.analysis[part]])
    ]
    known = [tf.where(moment.is_valid, value, 0.0) for value in parts]
    return _with_indicator(known, ~moment.is_valid)


def preprocess_text(column: Column, feature: Text) -> tf.Tensor:
    """Returns the ids of the tokens, int64 [batch, max_tokens]."""
    words: Words = column.values
    shape = [None, feature.max_tokens]
    ids = words.tokens.with_values(column.analysis + FIRST_TOKEN_ID).to_tensor(0, shape=shape)
    # A missing text has no tokens, so adding its mark changes padding only.
    mark = tf.pad(tf.cast(words.is_missing, tf.int64), [[0, 0], [0, feature.max_tokens - 1]])
    return tf.ensure_shape(ids + mark, shape)


def _ids(index: tf.Tensor, is_missing: tf.Tensor) -> tf.Tensor:
    """Returns ids from indices: 0 for a missing value, index + FIRST_CATEGORY_ID otherwise."""
    return tf.where(is_missing, tf.zeros_like(index), index + FIRST_CATEGORY_ID)


def _with_indicator(parts: list[tf.Tensor], is_missing: tf.Tensor) -> tf.Tensor:
    return tf.concat([*parts, tf.cast(is_missing, tf.float32)], axis=1)


def _sine_and_cosine(moment: Moment, part: str) -> list[tf.Tensor]:
    # Days and months count from 1; the last day or month is a full turn, the same angle as 0.
    angle = 2.0 * math.pi * tf.cast(getattr(moment, part), tf.float32) / CYCLES[part]
    return [tf.sin(angle), tf.cos(angle)]


def make_vocabulary(column: str, feature: Feature) -> Vocabulary:
    """Returns the settings of the vocabulary of a categorical or text feature."""
    name = transformed_name(column)
    if feature.kind == "text":
        return Vocabulary(name, feature.vocabulary_size, 1, TOKEN_OOV_BUCKETS)
    assert feature.kind == "categorical"
    return Vocabulary(name, feature.vocabulary_size, feature.min_count, feature.oov_buckets)


def _parse_words(raw: tf.Tensor, feature: Text) -> Words:
    text = as_text(raw)
    is_missing = text == MISSING_STRING
    words = split_tokens(tf.where(is_missing, "", text))
    ngrams = count_ngrams(words, feature) if has_ngrams(feature) else None
    return Words(distinct_tokens(words, feature.max_tokens), ngrams, is_missing)


def _scale_calendars(
    moments: Mapping[str, Moment], features: Mapping[str, Timestamp]
) -> dict[str, dict[str, tf.Tensor]]:
    """Returns the scaled number of each part that is no cycle, by column and part."""

    def select(part: str) -> dict[str, tf.Tensor]:
        asked = {n: moments[n] for n, feature in features.items() if part in feature.parts}
        return {
            name: tf.where(m.is_valid, tf.cast(getattr(m, part), tf.float32), float("nan"))
            for name, m in asked.items()
        }

    # In tensors of their own: tables without `date` keep the graph that they had.
    scaled = {"year": standardize(select("year")), "date": scale_to_range(select("date"))}
    return {
        name: {part: columns[name] for part, columns in scaled.items() if name in columns}
        for name in features
    }


_PARSERS: dict[str, Callable[[tf.Tensor, Any], Any]] = {
    "timestamp": lambda raw, feature: parse_moment(raw, feature.format, feature.zone),
    "text": _parse_words,
}
_QUANTILES_WANTED: dict[str, Callable[[Any, Any], int | None]] = {
    "numeric": lambda _, feature: SCORE_QUANTILES if feature.scale == "quantile" else None,
    "bucketized": lambda _, feature: None if feature.boundaries else feature.buckets,
}
_TOKENS: dict[str, Callable[[Any, Any], tf.Tensor]] = {
    "categorical": lambda text, _: text,
    "text": lambda words, _: words.tokens.values,
}
_PREPROCESSORS: dict[str, Callable[[Columns, Any], Outputs]] = {
    "numeric": preprocess_numeric,
    "categorical": preprocess_categorical,
    "bucketized": for_each_column(preprocess_bucketized),
    "hashed": for_each_column(preprocess_hashed),
    "boolean": for_each_column(preprocess_boolean),
    "timestamp": for_each_column(preprocess_timestamp),
    "text": for_each_column(preprocess_text),
}
