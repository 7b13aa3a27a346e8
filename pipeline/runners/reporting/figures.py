"""Reads the figures that the components DataFigures and ModelFigures wrote."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pipeline.core.contracts import Channel
from pipeline.core.errors import PipelineError
from pipeline.report.files import parse_content
from pipeline.runners.reporting.metadata_view import NodeView

_T = TypeVar("_T")


def read_figures(nodes: Mapping[str, NodeView], node: str, file: str, kind: type[_T]) -> _T | None:
    """Returns the figures of a component; None if it did not run, or if its files were removed.

    Raises:
      PipelineError: the file is damaged.
    """
    artifact = nodes[node].outputs.get(Channel.FIGURES) if node in nodes else None
    if artifact is None or nodes[node].state == "failed":
        return None
    path = Path(artifact.uri) / file
    try:
        return parse_content(kind, path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise PipelineError(f"{path} cannot be read: {error}") from error
