"""Reads how times are written in the columns of a model, which its exporter wrote beside it."""

from __future__ import annotations

import json
import os
from typing import get_args

from pipeline.core.contracts import TIMES_FILE
from pipeline.core.date_formats import TimeColumn, TimestampFormat
from pipeline.core.errors import ConfigError


def read_times(directory: str) -> dict[str, TimeColumn]:
    """Returns how times are written, by column; nothing for a model without the file.

    Raises:
      ConfigError: the file is damaged, or has a format that this version does not know.
    """
    path = os.path.join(directory, TIMES_FILE)
    try:
        with open(path, encoding="utf-8") as file:
            times = {n: TimeColumn(**fields) for n, fields in json.load(file).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}", "push the model again") from None
    for column, how in times.items():
        if how.format not in get_args(TimestampFormat):
            raise ConfigError(f"{path}: '{column}' has the unknown format {how.format!r}")
    return times
