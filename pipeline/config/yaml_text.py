"""Writes a configuration as YAML that `load_config` reads."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML


def to_yaml(content: Mapping[str, Any]) -> str:
    """Returns YAML for people and programs: umlauts stay, invisible characters are escaped.

    The keys keep their order.
    """
    text = _dump(content, keeps_unicode=True)
    is_readable = "".join(text.split("\n")).isprintable()
    return text if is_readable else _dump(content, keeps_unicode=False)


def _dump(content: Mapping[str, Any], *, keeps_unicode: bool) -> str:
    yaml = YAML(typ="safe")
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.allow_unicode = keeps_unicode
    text = io.StringIO()
    yaml.dump(content, text)
    return text.getvalue()
