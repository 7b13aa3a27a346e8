"""Collects a sentence for each figure that could not be made.

The page of a run is worth less than the run: a figure that fails must not fail the component.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from pipeline.core.text import message_of, printable, short_message

T = TypeVar("T")
U = TypeVar("U")
_logger = logging.getLogger(__name__)


class Notes:
    """Makes figures, and keeps a sentence for each figure that failed."""

    def __init__(self) -> None:
        self._sentences: list[str] = []

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, in the order of the failures."""
        return tuple(self._sentences)

    def attempt(self, figure: str, make: Callable[[], T], otherwise: U) -> T | U:
        """Returns what `make` returns; if `make` fails, notes this and returns `otherwise`.

        Args:
          figure: names the figure in the sentence, such as "the distribution of 'fare'".
        """
        try:
            return make()
        except Exception as error:
            _logger.exception("%s could not be made", printable(figure))
            cause = short_message(message_of(error)) or "no message"
            self._sentences.append(
                printable(f"{figure} could not be made: {type(error).__name__}: {cause}")
            )
            return otherwise
