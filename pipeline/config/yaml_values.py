"""Reads YAML so that every value that cannot be read is an error of YAML with its place.

ruamel's constructors raise ValueError or KeyError for text that only looks like a value, such as
the date 2021-02-30.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, RoundTripConstructor, SafeConstructor
from ruamel.yaml.nodes import ScalarNode

_SHOWN = 40
"""Characters of a value that an error repeats."""


def read_document(text: bytes) -> Any:
    """Returns the document with the places of its keys, as ruamel's round-trip types.

    Raises:
      YAMLError: the text is not YAML, or a value cannot be read.
      UnicodeDecodeError: the text is not UTF-8.
      RecursionError: the document is nested too deeply.
    """
    yaml = YAML(typ="rt")
    yaml.Constructor = _RoundTripConstructor
    _allow_repeated_anchors(yaml)
    return yaml.load(text)


def read_value(text: str) -> Any:
    """Returns the value as plain types.

    Raises:
      YAMLError: as `read_document`.
    """
    return _make_safe_reader().load(text)


def read_values(text: str) -> list[Any]:
    """Returns the values of all documents in a text as plain types.

    Raises:
      YAMLError: as `read_document`.
    """
    return list(_make_safe_reader().load_all(text))


def _make_safe_reader() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _SafeConstructor
    _allow_repeated_anchors(yaml)
    return yaml


def _allow_repeated_anchors(yaml: YAML) -> None:
    """YAML allows an anchor to be set again; ruamel would warn with lines of its own code."""
    yaml.composer.warn_double_anchors = False


class _WithPlaces:
    """Turns the errors of a constructor into errors with the value and its place."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)  # type: ignore[misc]
        except (ValueError, LookupError, ArithmeticError) as error:
            if not isinstance(node, ScalarNode):
                raise
            raise ConstructorError(None, None, _explain(node, error), node.start_mark) from None

    def check_mapping_key(
        self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any
    ) -> bool:
        """Refuses a key with a list or a mapping in it: ruamel would fail to hash that key."""
        try:
            hash(key)
        except TypeError:
            mark = key_node.start_mark
            raise ConstructorError(None, None, "a key must be text", mark) from None
        return bool(super().check_mapping_key(node, key_node, mapping, key, value))  # type: ignore[misc]


class _RoundTripConstructor(_WithPlaces, RoundTripConstructor):
    """With the places of keys."""


class _SafeConstructor(_WithPlaces, SafeConstructor):
    """Of plain types."""


def _explain(node: ScalarNode, error: Exception) -> str:
    kind = str(node.tag).rpartition(":")[2]
    reason = f": {error}" if isinstance(error, ValueError) and len(node.value) <= _SHOWN else ""
    return f"'{node.value[:_SHOWN]}' cannot be read as {kind}{reason}"
