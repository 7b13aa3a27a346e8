"""Writes a configuration as YAML that `load_config` reads."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML


def to_yaml(content: Mapping[str, Any]) -> str:
    """Returns the content as YAML, its keys in their order."""
    yaml = YAML(typ="safe")
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.allow_unicode = True
    text = io.StringIO()
    yaml.dump(content, text)
    return text.getvalue()
