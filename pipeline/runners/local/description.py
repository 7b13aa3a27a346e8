"""Describes the wired pipeline for the watchers of a run, which import no TFX."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pipeline.core.code_digest import read_stamp
from pipeline.core.contracts import CustomConfigKey
from pipeline.core.events import PipelineStarted


def describe_pipeline(pipeline: Any, run_id: str) -> PipelineStarted:
    """Returns the event that announces the components of a run of a TFX pipeline."""
    nodes = pipeline.components
    return PipelineStarted(
        components=tuple(node.id for node in nodes),
        run_id=run_id,
        upstream={node.id: sorted(other.id for other in node.upstream_nodes) for node in nodes},
        code=dict(pair for node in nodes for pair in _list_digests(node)),
    )


def _list_digests(node: Any) -> Iterator[tuple[str, str]]:
    """Yields the digests of the component's own code and of the user code that it loads."""
    if stamp := read_stamp(node):
        yield node.id, stamp
    custom = node.exec_properties.get("custom_config")
    content = json.loads(custom) if isinstance(custom, str) else custom
    if isinstance(content, dict) and (digest := content.get(CustomConfigKey.CODE)):
        yield f"{node.id}, loaded module", digest
