"""Run parameters on Kubeflow: they change the configuration of one run, as `--set` does locally."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pipeline.config import Config
from pipeline.config.load import override
from pipeline.core.errors import ConfigError, ConfigMistakesError


def read_assignments(parameters: Mapping[str, str]) -> list[str]:
    """Returns the run's parameters as KEY=VALUE assignments, in the form that `--set` takes."""
    path, lines = parameters.get("data-path", ""), parameters.get("overrides", "").splitlines()
    overrides = [line.strip() for line in lines if line.strip()]
    return [*([f"data.path={json.dumps(path)}"] if path else []), *overrides]


def apply_overrides(config_json: str, assignments: Sequence[str]) -> Config:
    """Returns the configuration of a run: the compiled one with `assignments` applied.

    Raises:
      ConfigError: an assignment is wrong. The message names `overrides` in place of `--set`.
    """
    try:
        return override(config_json, assignments)
    except ConfigError as error:
        parts = [
            ConfigError(part.message.replace("--set ", "overrides: ", 1), part.hint)
            for part in error.parts
        ]
        raise parts[0] if len(parts) == 1 else ConfigMistakesError(parts) from None


def advise_run_parameters(text: str) -> str:
    """Returns `text` with each "`--set KEY=VALUE`" rewritten to `--parameter overrides=KEY=VALUE`.

    `deploy` and the local executor take a run's settings in this form. Several settings inside one
    pair of backquotes are all rewritten.
    """
    return re.sub(
        r"`--set [^`]*`",
        lambda options: options[0].replace("--set ", "--parameter overrides="),
        text,
    )
