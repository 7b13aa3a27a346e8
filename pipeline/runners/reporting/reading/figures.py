"""Reads the figures that the components DataFigures and ModelFigures wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from components.run_figures.figures_file import read_figures
from pipeline.core.contracts import ArtifactFile, Channel, Node
from pipeline.core.text import short_message
from pipeline.runners.reporting.reading.metadata_view import NodeView

_T = TypeVar("_T")


@dataclass(frozen=True)
class RunFigures:
    """The figures of a run; None where the component did not end, or where its files are gone."""

    data: DataFigures | None = None
    model: ModelFigures | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """A sentence for each component whose file cannot be read."""


def read_all_figures(nodes: Mapping[str, NodeView]) -> RunFigures:
    """Returns all figures of a run; a damaged file costs its figures and no more."""
    notes: dict[str, str] = {}
    data = _read(nodes, Node.DATA_FIGURES, ArtifactFile.DATA_FIGURES, DataFigures, notes)
    model = _read(nodes, Node.MODEL_FIGURES, ArtifactFile.MODEL_FIGURES, ModelFigures, notes)
    return RunFigures(data, model, notes)


def _read(
    nodes: Mapping[str, NodeView], node: str, file: str, kind: type[_T], notes: dict[str, str]
) -> _T | None:
    artifact = nodes[node].outputs.get(Channel.FIGURES) if node in nodes else None
    if artifact is None or nodes[node].state == "failed":
        return None
    try:
        return read_figures(Path(artifact.uri) / file, kind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        notes[node] = f"{file} cannot be read: {short_message(str(error))}"
        return None
