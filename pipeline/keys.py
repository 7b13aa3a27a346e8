"""What a candidate depends on, apart from the data, as the keys that identify it.

Completed with the data's fingerprint (components.served_model.keys), equal keys mean the same
findings and the same model.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from components.schema_curator.schema_text import parse_schema
from components.served_model.keys import hash_texts
from pipeline.config import Config
from pipeline.core.code_digest import code_digest, may_define
from pipeline.core.commands import pipeline_command
from pipeline.core.errors import ConfigError

PREPROCESSING = "trainer_module.preprocessing"
TRAINER = "trainer_module.run"
TRIAL = "trainer_module.trial"


def data_key(config: Config) -> str:
    """Of everything that decides what the data gate finds."""
    sections = (config.ingested(), config.label, config.schema_, config.validation)
    kinds = sorted(config.kinds().items())
    return hash_texts(
        version("tfx"), *(s.to_json() for s in sections), repr(kinds), _schema_text(config)
    )


def run_key(config: Config) -> str:
    """Of everything the model depends on; not of how it is judged and pushed."""
    sections = (config.model, config.training, *([config.tuning] if config.tuning else []))
    texts = [config.features_json(), *(s.to_json() for s in sections)]
    return hash_texts(data_key(config), *texts, code_digest(PREPROCESSING), trainer_code(config))


def trainer_code(config: Config) -> str:
    """The digest of the code that trains, a network of the user's own included.

    Raises:
      ConfigError: there is no such module.
    """
    return _model_code(config, TRAINER)


def trial_code(config: Config) -> str:
    """The same of the code of a trial."""
    return _model_code(config, TRIAL)


def _model_code(config: Config, module: str) -> str:
    paths = [family.rpartition(".") for family in config.own_families()]
    own = sorted({path for path, _, _ in paths})
    try:
        code = code_digest(module, *own)
    except ModuleNotFoundError:
        raise ConfigError(
            f"model.family: there is no module {' or '.join(own)}",
            "it has to be in the working directory, or installed beside the pipeline",
        ) from None
    for path, _, function in paths:
        if not may_define(path, function):
            raise ConfigError(f"model.family: {path} defines no function {function}")
    return code


def _schema_text(config: Config) -> str:
    if config.schema_.path is None:
        return ""
    try:
        text = Path(config.schema_.path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"schema.path: {config.schema_.path} cannot be read: {error.strerror}",
            f"`{pipeline_command('schema', '--write')}` makes one",
        ) from None
    parse_schema(text, config.schema_.path)  # ImportSchemaGen would fail without a line number.
    return text
