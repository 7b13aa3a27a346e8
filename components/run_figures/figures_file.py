"""Writes figures as JSON and reads them back. Imports nothing heavy: the command line reads."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, TypeVar

from pydantic import TypeAdapter

from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json

T = TypeVar("T")


def write_figures(path: str | os.PathLike[str], figures: Any) -> None:
    """Writes figures, an instance of a dataclass. NaN and infinite numbers become null."""
    write_text_atomically(path, readable_json(dataclasses.asdict(figures)), durable=False)


def read_figures(path: str | os.PathLike[str], figures: type[T]) -> T:
    """Returns the figures in a file that `write_figures` wrote.

    Args:
      figures: the dataclass, such as DataFigures.

    Raises:
      ValueError: the file holds other content.
    """
    with open(path, encoding="utf-8") as file:
        return TypeAdapter(figures).validate_json(file.read())
