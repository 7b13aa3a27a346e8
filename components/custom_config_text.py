"""Packs text into the execution property `custom_config` of an ExampleGen, and unpacks it.

Text, because a protobuf Struct would turn integers into floats. Canonical text, because it is part
of the key of TFX's cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import wrappers_pb2
from tfx.proto import example_gen_pb2
from tfx.types import standard_component_specs
from tfx.utils import proto_utils


def pack_text(text: str) -> example_gen_pb2.CustomConfig:
    """Returns the value of the execution property `custom_config`."""
    packed = example_gen_pb2.CustomConfig()
    packed.custom_config.Pack(wrappers_pb2.StringValue(value=text))
    return packed


def unpack_text(exec_properties: Mapping[str, Any]) -> str:
    """Returns the text in the execution properties of a driver or an executor."""
    packed = example_gen_pb2.CustomConfig()
    proto_utils.json_to_proto(exec_properties[standard_component_specs.CUSTOM_CONFIG_KEY], packed)
    text = wrappers_pb2.StringValue()
    packed.custom_config.Unpack(text)
    return text.value
