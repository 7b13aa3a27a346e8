"""Writes the compiled file, and reads it when it is deployed later or on another machine."""

from __future__ import annotations

from pathlib import Path

import yaml

from pipeline.config import Config
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically
from pipeline.core.imports import quick_imports, quiet_imports
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline
from pipeline.runners.kubeflow.compiling.required_settings import (
    require_image,
    require_serving_directory,
)

FOR_VERTEX = "compiled for Vertex AI (kubeflow.platform)"
SUBMIT_TO_VERTEX = "submit the file of `compile` with Google's SDK: docs/kubeflow.md"
_SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 32 << 20
"""The largest upload that Kubeflow Pipelines accepts."""
_PARSE_ERRORS = (
    yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, StopIteration,
    RecursionError,
)  # fmt: skip
"""Errors of parsing a file that is not a compiled pipeline, or only a part of one."""


def compile_config(config: Config) -> CompiledPipeline:
    """Compiles `config`. Settings that Kubeflow requires are checked before TensorFlow is loaded.

    Raises:
      ConfigError: a setting that Kubeflow needs is missing, or Kubeflow would refuse the pipeline.
    """
    require_image(config)
    require_serving_directory(config)
    with quiet_imports():
        with quick_imports():
            from pipeline.runners.kubeflow.compiling.compile import compile_pipeline

        return compile_pipeline(config)


def compile_to(path: Path, config: Config) -> None:
    """Compiles `config` and writes the file atomically.

    Raises:
      ConfigError: the pipeline cannot be compiled, or the file cannot be written.
    """
    _check_suffix(path, "--output")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"--output {path}: there is no directory {path.parent}")
    text = compile_config(config).to_yaml()
    try:
        write_text_atomically(path, text, durable=True)
    except OSError as error:
        raise ConfigError(f"--output {path}: cannot be written: {error.strerror}") from None


def read_package(path: Path) -> CompiledPipeline:
    """Reads a file that `compile_to` wrote.

    Raises:
      ConfigError: the file cannot be read, is damaged or edited, or is not a compiled pipeline.
    """
    _check_suffix(path, "--package")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ConfigError(f"--package {path}: Kubeflow takes no file above 32 MB")
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        if len(documents) == 1 and "defaultPipelineRoot" in documents[0]:
            raise ConfigError(f"--package {path}: {FOR_VERTEX}", SUBMIT_TO_VERTEX)
        package = CompiledPipeline(*documents)
        _ = package.image, package.config
        as_compiled = package.is_as_compiled
    except OSError as error:
        raise ConfigError(f"--package {path}: cannot be read: {error.strerror}") from None
    except _PARSE_ERRORS as error:
        raise _unusable_package(
            path, f"is not a complete file of `compile`: {type(error).__name__}"
        ) from None
    if not as_compiled:
        raise _unusable_package(path, "was changed or cut off after `compile` wrote it")
    return package


def _unusable_package(path: Path, what: str) -> ConfigError:
    return ConfigError(
        f"--package {path}: {what}", "write it again with `compile`, or leave out --package"
    )


def _check_suffix(path: Path, option: str) -> None:
    if path.suffix not in _SUFFIXES:
        raise ConfigError(f"{option} {path}: Kubeflow takes files that end in .yaml")
