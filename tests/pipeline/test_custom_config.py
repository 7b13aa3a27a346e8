"""What Transform, the Tuner and the Trainer receive as `custom_config`."""

from __future__ import annotations

from pathlib import Path

from pipeline.config import Config, WorkersConfig, load_config
from pipeline.custom_config import trainer_config, transform_config, tuner_config
from trainer_module.sections import Sections

TAXI = Path(__file__).parents[2] / "configs/taxi.yaml"
SEARCH = 'tuning.search."training.learning_rate"={min: 0.001, max: 0.1}'


def load(*assignments: str) -> Config:
    return load_config([TAXI], assignments)


def test_the_trainer_module_reads_back_the_sections() -> None:
    config = load("training.epochs=3")
    sections = Sections(trainer_config(config, "backups", None))
    assert sections.features == dict(sorted(config.features.items()))
    assert sections.label == config.label
    assert sections.model == config.model
    assert sections.training == config.training
    assert sections.backup_directory == "backups"


def test_each_component_receives_only_the_sections_that_it_reads() -> None:
    config = load(SEARCH)
    assert config.tuning is not None
    both = {"features", "label", "code"}
    training = {*both, "model", "training", "backup_directory"}
    assert set(transform_config(config)) == both
    assert set(trainer_config(config, "backups", None)) == training
    assert set(tuner_config(config, config.tuning, "backups")) == {*training, "tuning"}


def test_transform_and_training_have_the_digests_of_their_own_code() -> None:
    config = load()
    assert transform_config(config)["code"] != trainer_config(config, "", None)["code"]


def test_pods_are_passed_on_only_for_a_training_on_many_workers() -> None:
    pods = WorkersConfig()
    assert "workers" not in trainer_config(load(), "backups", pods)
    several = load("training.workers=2")
    assert trainer_config(several, "backups", pods)["workers"] == pods.to_json()
    assert "workers" not in trainer_config(several, "backups", None)
