"""The sections of the configuration in custom_config, and their fingerprint."""

from __future__ import annotations

from typing import Any

import pytest
from tiny_run import custom_config

from pipeline.config import TrainingConfig
from trainer_module.sections import Sections


def test_a_section_is_parsed_at_its_first_use() -> None:
    whole = custom_config({"b": "numeric", "a": "text"}, {"column": "y", "task": "regression"})
    sections = Sections({key: whole[key] for key in ("features", "label", "code")})
    assert list(sections.features) == ["a", "b"]
    assert sections.label.task == "regression"
    with pytest.raises(KeyError):
        _ = sections.training


def test_the_fingerprint_depends_on_the_code_and_not_on_the_backup_directory() -> None:
    whole = custom_config({"a": "text"}, {"column": "y", "task": "regression"})
    same = Sections({**whole, "backup_directory": "elsewhere"})
    other = Sections({**whole, "code": "another digest"})
    assert same.fingerprint() == Sections(whole).fingerprint() != other.fingerprint()


def test_the_fingerprint_ignores_training_settings_that_keep_the_weights() -> None:
    def fingerprint(**training: Any) -> str:
        config = TrainingConfig.model_validate(training)
        texts = {"features": "", "label": "", "model": "", "training": config.to_json()}
        return Sections(texts).fingerprint()

    assert fingerprint() == fingerprint(recovery={"max_restarts": 9}, steps_per_execution=4)
    assert fingerprint() == fingerprint(tensorboard={"histograms": True}, threads={"intra_op": 2})
    assert fingerprint() != fingerprint(epochs=9)
    assert fingerprint() != fingerprint(seed=9)
