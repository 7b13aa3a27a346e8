"""The keys that identify everything a candidate depends on, apart from the data.

components/served_model/keys.py completes them with the data's fingerprint. Then equal data keys
mean the same findings, and equal run keys the same training.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from components.model_exporter.packages import describe_export_packages
from components.schema_curator.schema_text import parse_schema
from components.served_model.keys import hash_texts
from pipeline.config import Config, DataConfig
from pipeline.core.code_digest import code_digest, may_define
from pipeline.core.commands import pipeline_command
from pipeline.core.errors import ConfigError

PREPROCESSING = "trainer_module.preprocessing"
"""The module that Transform runs."""
TRAINER = "trainer_module.run"
"""The module that the Trainer runs."""
TRIAL = "trainer_module.trial"
"""The module that each trial of the Tuner runs."""
EXPORTING = "trainer_module.exporting"
"""The module that the ModelExporter calls."""

_DATA_EXECUTORS = (
    "components.statistics_gen.executor",
    "components.schema_curator.executor",
    "components.anomaly_gate.executor",
)
"""The executors that decide what the data gate finds, beside that of the ExampleGen."""
_MODEL_EXECUTORS = (
    "components.transform.executor",
    "components.tuner.executor",
    "components.distributed_trainer.executor",
)
"""The executors between the gate and the trained model."""
_DATA_PACKAGES = (
    "tfx", "tfx-bsl", "tensorflow-data-validation", "tensorflow-metadata", "pyarrow", "numpy",
)  # fmt: skip
_MODEL_PACKAGES = ("tensorflow", "tensorflow-transform", "tf-keras", "keras-tuner", "apache-beam")
"""The packages whose versions can change the weights of a model, beside those of the data."""


def make_data_key(config: Config) -> str:
    """Returns the key of everything that decides which findings the data gate reports.

    Settings, code and versions: after an upgrade, the same table must not count as the data that
    the served model was made from.
    """
    sections = (config.data_with_time_format(), config.label, config.schema_, config.validation)
    kinds = sorted(config.kinds_with_weight_column().items())
    return hash_texts(
        *map(version, _DATA_PACKAGES),
        code_digest(_example_gen_executor(config.data), *_DATA_EXECUTORS),
        *(s.to_json() for s in sections),
        repr(kinds),
        _read_schema(config),
    )


def make_run_key(config: Config) -> str:
    """Returns the key of everything the model depends on, without evaluation and serving.

    A model that other code or other versions made is another model, and must be compared with the
    served one.
    """
    sections = (config.model, config.training, *([config.tuning] if config.tuning else []))
    packages = (*_MODEL_PACKAGES, *(["lightgbm"] if config.model.has_trees else []))
    # A trial's code chooses the values that the Trainer trains with.
    search = [digest_trial_code(config)] if config.tuning else []
    return hash_texts(
        make_data_key(config),
        *map(version, packages),
        code_digest(PREPROCESSING, *_MODEL_EXECUTORS),
        digest_trainer_code(config),
        *search,
        config.features_json(),
        *(s.to_json() for s in sections),
    )


def make_exports_key(config: Config) -> str:
    """Returns the key of what makes the exports of a model; empty without a section `exports`."""
    if not config.exports:
        return ""
    code = (code_digest("components.model_exporter.executor"), digest_exporting_code(config))
    return hash_texts(*code, *(export.to_json() for export in config.exports))


def _example_gen_executor(data: DataConfig) -> str:
    if data.source in ("csv", "parquet"):
        return "components.columnar_example_gen.executor"
    if data.source == "tfrecord":
        return "components.record_example_gen.executor"
    return "components.query_example_gen.executor"


def digest_trainer_code(config: Config) -> str:
    """Returns the digest of the training code, custom model families included.

    Raises:
      ConfigError: the module of a custom model family does not exist, or lacks the function.
    """
    return _digest_code(config, TRAINER)


def digest_trial_code(config: Config) -> str:
    """Returns the digest of a trial's code, custom model families included.

    Raises:
      ConfigError: as `digest_trainer_code`.
    """
    return _digest_code(config, TRIAL)


def digest_exporting_code(config: Config) -> str:
    """Returns the digest of what the ModelExporter runs: the training code, and the converters.

    Raises:
      ConfigError: as `digest_trainer_code`.
    """
    code = _digest_code(config, EXPORTING)
    return hash_texts(code, *describe_export_packages(config.exports))


def _digest_code(config: Config, module: str) -> str:
    families = config.own_families()
    own = sorted({family.rpartition(".")[0] for family in families})
    try:
        code = code_digest(module, *own)
    except ModuleNotFoundError:
        keys = " or ".join(dict.fromkeys(families.values()))
        raise ConfigError(
            f"{keys}: there is no module {' or '.join(own)}",
            "it has to be in the working directory, or installed beside the pipeline",
        ) from None
    for family, key in families.items():
        path, _, function = family.rpartition(".")
        if not may_define(path, function):
            raise ConfigError(f"{key}: {path} defines no function {function}")
    return code


def _read_schema(config: Config) -> str:
    if config.schema_.path is None:
        return ""
    try:
        text = Path(config.schema_.path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"schema.path: {config.schema_.path} cannot be read: {error.strerror}",
            f"`{pipeline_command('schema', '--write')}` makes one",
        ) from None
    # Checked here, because ImportSchemaGen would not name the line.
    parse_schema(text, config.schema_.path)
    return text
