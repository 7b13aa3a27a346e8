"""Recovers the parts of a trained blend as models of their own, without training them again.

The Trainer fits the parts of a blend by the same code, from the same rows and the same seed as a
network alone and as trees alone. So each part equals the model that would be trained alone; a test
compares them. A network whose weight in the blend is 0 is not part of the served model, and has to
be trained alone after all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.artifacts import find_artifact
from pipeline.config import Config
from pipeline.core.contracts import Node, Split
from pipeline.custom_config import trainer_config
from trainer_module.export import export_model
from trainer_module.fit_setup import set_up_fit
from trainer_module.sections import Sections
from trainer_module.trees.model import TreesModel
from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.setup import set_up_trees


@dataclass(frozen=True)
class _Inputs:
    """Paths of Transform's output, as the Trainer gets them."""

    train_files: list[str]
    eval_files: list[str]
    transform_graph_path: str
    base_model: str | None

    @classmethod
    def of_run(cls, run: Path, base_model: Path | None) -> _Inputs:
        examples = find_artifact(run, Node.TRANSFORM, "transformed_examples")
        train, held_out = (
            [str(examples / f"{Split.PREFIX}{split}" / "*")] for split in (Split.TRAIN, Split.EVAL)
        )
        graph = find_artifact(run, Node.TRANSFORM, "transform_graph")
        return cls(train, held_out, str(graph), str(base_model) if base_model else None)


def export_network(run: Path, config: Config, served: Path, directory: Path) -> None:
    """Writes the network of the served blend as a SavedModel.

    Raises:
      RuntimeError: the served model lacks weights of the network.
    """
    sections = _read_sections(config)
    # The weights are copied by name, as for a warm start.
    setup = set_up_fit(_Inputs.of_run(run, served), sections)
    copied = setup.warm_started
    if copied["served_weights"] != copied["weights"]:
        raise RuntimeError(f"{served}: has {copied} of the network")
    network = setup.build_network()
    network.set_weights(setup.model.get_weights())
    export_model(str(directory), network, setup.transform_output, setup.head, sections)


def export_trees(run: Path, config: Config, directory: Path) -> None:
    """Writes the trees of the blend, which lie beside its history, as a SavedModel."""
    sections = _read_sections(config)
    setup = set_up_trees(_Inputs.of_run(run, None), sections)
    history = find_artifact(run, Node.TRAINER, "model_run")
    text = (history / "lightgbm.txt").read_text(encoding="utf-8")
    model = TreesModel(setup.inputs, parse_forest(text), setup.head)
    export_model(str(directory), model, setup.transform_output, setup.head, sections)


def _read_sections(config: Config) -> Sections:
    return Sections(trainer_config(config, "", None))
