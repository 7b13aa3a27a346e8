"""An example row for the pages, from the statistics that the Pusher kept beside the version."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from tensorflow_metadata.proto.v0 import statistics_pb2

from pipeline.core.contracts import ArtifactFile, Split
from serving.rows.signature import DType, Signature, Tensor

_LEAST_ROWS = 10
"""A value that fewer rows share may tell something about a person: the pages do not show it."""
_MOST_CHOICES = 20
"""Values that a page suggests for a column of text."""
_EMPTY: dict[DType, Any] = {"float32": 0.0, "int64": 0, "string": ""}


@dataclass(frozen=True)
class ColumnExample:
    """What a page shows of a column."""

    value: Any
    """A usual value: the median, or the most frequent text; None where no value may be shown."""
    choices: tuple[Any, ...] = ()
    """The most frequent values of a column of categories, the most frequent first."""


def read_examples(statistics: str, signature: Signature) -> dict[str, ColumnExample]:
    """Returns an example for each input of the signature.

    Args:
      statistics: the directory of an ExampleStatistics artifact. If it is absent or damaged, the
        examples are missing values: a model without statistics can be served.
    """
    features = _read_features(statistics)
    return {tensor.name: _choose(tensor, features.get(tensor.name)) for tensor in signature.inputs}


def add_usual_values(signature: Signature, examples: Mapping[str, ColumnExample]) -> Signature:
    """Returns the signature with the most frequent text of each column, for error messages."""
    inputs = (
        dataclasses.replace(tensor, usual=str(examples[tensor.name].value or ""))
        if tensor.dtype == "string" and tensor.is_column
        else tensor
        for tensor in signature.inputs
    )
    return dataclasses.replace(signature, inputs=tuple(inputs))


def _read_features(statistics: str) -> Mapping[str, Any]:
    path = os.path.join(statistics, f"{Split.PREFIX}{Split.TRAIN}", ArtifactFile.STATISTICS)
    try:
        with open(path, "rb") as file:
            read = statistics_pb2.DatasetFeatureStatisticsList.FromString(file.read())
    except (OSError, DecodeError):
        return {}
    features = (feature for dataset in read.datasets[:1] for feature in dataset.features)
    return {feature.name or ".".join(feature.path.step): feature for feature in features}


def _choose(tensor: Tensor, feature: Any) -> ColumnExample:
    if not tensor.is_column:
        return ColumnExample(_EMPTY[tensor.dtype])
    if feature is None:
        return ColumnExample(_choose_without_values(tensor))
    if feature.WhichOneof("stats") == "num_stats":
        median = feature.num_stats.median
        whole = tensor.dtype == "int64"
        return ColumnExample(round(median) if whole else float(f"{median:.4g}"))
    convert = int if tensor.dtype == "int64" else str
    top = feature.string_stats.top_values
    values = [value.value for value in top if value.frequency >= _LEAST_ROWS]
    if times := tensor.times:
        # The training table may have times in another format, which a request may not have.
        values = [value for value in values if times.reads(value)]
    try:
        choices = tuple(map(convert, values[:_MOST_CHOICES]))
    except ValueError:
        choices = ()
    return ColumnExample(choices[0] if choices else _choose_without_values(tensor), choices)


def _choose_without_values(tensor: Tensor) -> Any:
    """Returns a time in the format of the column, or a missing value."""
    return tensor.times.example if tensor.times and tensor.dtype == "string" else None
