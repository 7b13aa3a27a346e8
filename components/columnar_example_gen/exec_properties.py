"""Packs the component's configuration into the execution property `custom_config`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfx.proto import example_gen_pb2

from components.columnar_example_gen.ingest_config import IngestConfig
from components.custom_config_text import pack_text, unpack_text


def pack_config(config: IngestConfig) -> example_gen_pb2.CustomConfig:
    """Returns the value of the execution property `custom_config`."""
    return pack_text(config.to_json())


def unpack_config(exec_properties: Mapping[str, Any]) -> IngestConfig:
    """Returns the configuration in the execution properties of a driver or an executor."""
    return IngestConfig.from_json(unpack_text(exec_properties))
