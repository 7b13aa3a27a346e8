"""How a run on Kubeflow is told what `--set` tells one on this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pipeline.config import Config
from pipeline.config.load import override
from pipeline.core.errors import ConfigError, ConfigMistakesError


def read_assignments(parameters: Mapping[str, str]) -> list[str]:
    """The parameters of the run as `--set` takes them."""
    path, lines = parameters.get("data-path", ""), parameters.get("overrides", "").splitlines()
    chosen = [line.strip() for line in lines if line.strip()]
    return [*([f"data.path={json.dumps(path)}"] if path else []), *chosen]


def apply_overrides(compiled: str, chosen: Sequence[str]) -> Config:
    """The configuration of a run, from the JSON of what was compiled.

    Raises:
      ConfigError: an assignment is wrong.
    """
    try:
        return override(compiled, chosen)
    except ConfigError as error:
        parts = [
            ConfigError(part.message.replace("--set ", "overrides: ", 1), part.hint)
            for part in error.parts
        ]
        raise parts[0] if len(parts) == 1 else ConfigMistakesError(parts) from None


def advise_run_parameters(text: str) -> str:
    """Advice to run with "`--set KEY=VALUE`", or several, as `deploy` and the local executor take
    it."""
    return re.sub(
        r"`--set [^`]*`", lambda way: way[0].replace("--set ", "--parameter overrides="), text
    )
