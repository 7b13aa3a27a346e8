"""Assignments over a configuration that was validated, and written down, before."""

from pathlib import Path

import pytest

from pipeline.config.load import load_config, override
from pipeline.core.errors import ConfigError


@pytest.mark.parametrize("name", ["taxi", "bike_sharing", "penguins"])
def test_a_compiled_configuration_is_read_back_as_it_was(name: str) -> None:
    config = load_config([Path(f"configs/{name}.yaml")])
    assert override(config.model_dump_json(by_alias=True), ()) == config


def test_assignments_are_checked_as_those_of_set() -> None:
    compiled = load_config([Path("configs/taxi.yaml")]).model_dump_json(by_alias=True)
    assert override(compiled, ["training.epochs=3"]).training.epochs == 3
    for assignment, told in (
        ("training.epoch=3", "--set training.epoch=3: training.epoch: unknown key"),
        ("training.epochs=three", "--set training.epochs=three"),
        ("training.epochs", "not of the form"),
    ):
        with pytest.raises(ConfigError, match=told):
            override(compiled, [assignment])
