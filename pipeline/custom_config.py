"""Turns sections of the configuration into the `custom_config` of Transform, Tuner and Trainer.

TFX passes only JSON values to a component. Each component receives the sections that its code reads
and no others: a setting that the component does not receive cannot invalidate its cache.
"""

from __future__ import annotations

from pipeline.config import Config, TuningConfig, WorkersConfig
from pipeline.config.sections.families.names import BLEND, TREES
from pipeline.core.code_digest import code_digest
from pipeline.core.contracts import CustomConfigKey as Key
from pipeline.keys import (
    PREPROCESSING,
    digest_exporting_code,
    digest_trainer_code,
    digest_trial_code,
)


def transform_config(config: Config) -> dict[str, str]:
    """Returns what the preprocessing function reads."""
    encoding = _choose_encoding({*config.families()})
    return {**_features_and_label(config), **encoding, Key.CODE: code_digest(PREPROCESSING)}


def _choose_encoding(families: set[str]) -> dict[str, str]:
    """Returns how Transform encodes numbers; nothing for networks alone."""
    if not families & {TREES, BLEND}:
        return {}
    return {Key.ENCODING: TREES if families == {TREES} else BLEND}


def tuner_config(config: Config, tuning: TuningConfig, backup_directory: str) -> dict[str, str]:
    """Returns what the search and each of its trials read.

    Raises:
      ConfigError: the module of a custom model family does not exist.
    """
    trained = _training_config(config, digest_trial_code(config), backup_directory)
    return {**trained, Key.TUNING: tuning.to_json()}


def trainer_config(
    config: Config, backup_directory: str, workers: WorkersConfig | None
) -> dict[str, str]:
    """Returns what the Trainer reads.

    Args:
      workers: the pods of a training on many workers; None where the workers are processes.

    Raises:
      ConfigError: the module of a custom model family does not exist.
    """
    trained = _training_config(config, digest_trainer_code(config), backup_directory)
    if workers is None or not config.training.tasks:
        return trained
    return {**trained, Key.WORKERS: workers.to_json()}


def exporter_config(config: Config) -> dict[str, str]:
    """Returns what the trainer's code reads that the ModelExporter calls.

    Raises:
      ConfigError: the module of a custom model family does not exist.
    """
    trained = _training_config(config, digest_exporting_code(config), "")
    return {key: text for key, text in trained.items() if key != Key.BACKUP_DIRECTORY}


def _training_config(config: Config, code: str, backup_directory: str) -> dict[str, str]:
    return {
        **_features_and_label(config),
        Key.MODEL: config.model.to_json(),
        Key.TRAINING: config.training.to_json(),
        Key.CODE: code,
        Key.BACKUP_DIRECTORY: backup_directory,
    }


def _features_and_label(config: Config) -> dict[str, str]:
    return {Key.FEATURES: config.features_json(), Key.LABEL: config.label.to_json()}
