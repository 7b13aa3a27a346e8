"""Reads the reference: schema and statistics of the data that the served model was trained on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2
from tfx.dsl.io import fileio
from tfx.utils import io_utils

from components.served_model.served_record import read_record_artifact
from pipeline.core.contracts import ArtifactFile, Split
from pipeline.core.errors import ConfigError

Splits = dict[str, statistics_pb2.DatasetFeatureStatistics]


@dataclass(frozen=True)
class Reference:
    """Schema and statistics of the data that the served model was trained on."""

    version: str
    schema: schema_pb2.Schema
    statistics: Splits


def read_reference(record_uri: str, wanted: Literal["served", "none"]) -> Reference | None:
    """Returns schema and statistics of the served model; None on a first run or if not wanted.

    Args:
      record_uri: the ServedModelRecord artifact.
      wanted: the setting `schema.reference`.

    Raises:
      ConfigError: a model is served, but its schema or statistics have been removed.
    """
    record = read_record_artifact(record_uri)
    if record is None or wanted == "none":
        return None
    schema, statistics = record.served_schema, record.served_statistics
    for what, path in (("schema", schema), ("statistics", statistics)):
        if not fileio.exists(path):
            raise ConfigError(
                f"the {what} of the served model {record.version} is gone: {path}",
                "run once with `--set schema.reference=none`",
            )
    return Reference(record.version, read_schema(schema), read_statistics(statistics))


def read_schema(uri: str) -> schema_pb2.Schema:
    """Returns the schema of a Schema artifact."""
    return io_utils.SchemaReader().read(os.path.join(uri, ArtifactFile.SCHEMA))


def read_statistics(uri: str) -> Splits:
    """Returns the statistics of an ExampleStatistics artifact by split, train first."""
    return {
        split: tfdv.load_stats_binary(split_file(uri, split, ArtifactFile.STATISTICS)).datasets[0]
        for split in list_splits(uri)
    }


def list_splits(uri: str) -> list[str]:
    """Returns the splits of an artifact: train, eval, test, then others by name."""
    names: Iterable[str] = (name.rstrip("/") for name in fileio.listdir(uri))
    found = [name[len(Split.PREFIX) :] for name in names if name.startswith(Split.PREFIX)]
    order = Split.ALL
    return sorted(found, key=lambda s: (order.index(s) if s in order else len(order), s))


def split_file(uri: str, split: str, name: str) -> str:
    """Returns the path of a file in one split of an artifact."""
    return os.path.join(uri, Split.PREFIX + split, name)
