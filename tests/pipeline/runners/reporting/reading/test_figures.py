"""Figures are read if the component made them; a damaged file costs no page."""

import dataclasses
import json
from pathlib import Path

from runs_for_pages import artifact, node

from components.data_figures.figures import DataFigures
from pipeline.core.contracts import Channel, Node
from pipeline.runners.reporting.reading.figures import RunFigures, read_all_figures

FIGURES = DataFigures({"train": 3}, "bought", None, (), None, ("too few rows",))


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    text = json.dumps(dataclasses.asdict(FIGURES))
    (tmp_path / "data_figures.json").write_text(text)
    nodes = {Node.DATA_FIGURES: node("cached", artifact(Channel.FIGURES, tmp_path))}
    assert read_all_figures(nodes) == RunFigures(data=FIGURES)


def test_without_the_component_or_its_file_there_are_no_figures(tmp_path: Path) -> None:
    assert read_all_figures({}) == RunFigures()
    removed = {Node.MODEL_FIGURES: node("complete", artifact(Channel.FIGURES, tmp_path))}
    assert read_all_figures(removed) == RunFigures()
    failed = {Node.MODEL_FIGURES: node("failed")}
    assert read_all_figures(failed) == RunFigures()


def test_a_damaged_file_becomes_a_note(tmp_path: Path) -> None:
    (tmp_path / "model_figures.json").write_text('{"task": "binary"}')
    nodes = {Node.MODEL_FIGURES: node("complete", artifact(Channel.FIGURES, tmp_path))}
    figures = read_all_figures(nodes)
    assert figures.model is None
    assert "model_figures.json cannot be read" in figures.notes[Node.MODEL_FIGURES]
