"""Why a worker gave a part up, as data.

Engines repeat work that ends with an exception, and pass on at most its text. A repetition would
refuse the same row again.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from components.columnar_example_gen.parts import Part
from components.tables.typed_table import ContradictedTypeError
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.stores.errors import StoreAccessError


@dataclass(frozen=True)
class Refusal:
    """The first error in a part of a table that a repetition would meet again."""

    part: int
    kind: Literal["config", "data", "types"]
    message: str
    hint: str = ""

    def to_error(self) -> Exception:
        """Returns the error that the worker met."""
        if self.kind == "types":
            return ContradictedTypeError(self.message)
        return (ConfigError if self.kind == "config" else DataError)(self.message, self.hint)


def catch_refusal(part: Part, read: Callable[[], object]) -> Refusal | None:
    """Calls the function that reads a part; returns why it gave up, or None."""
    try:
        read()
    except ContradictedTypeError as error:
        return Refusal(part.index, "types", str(error))
    except StoreAccessError as error:
        # Read elsewhere, "set AWS_ACCESS_KEY_ID" would name a variable that the user has set.
        message = f"on the worker {socket.gethostname()}: {error.message}"
        return Refusal(part.index, "config", message, f"on the workers: {error.hint}")
    except ConfigError as error:
        return Refusal(part.index, "config", error.message, error.hint)
    except DataError as error:
        return Refusal(part.index, "data", error.message, error.hint)
    return None


def choose_first(one: Refusal | None, other: Refusal | None) -> Refusal | None:
    """Returns the refusal of the earlier part."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda refusal: refusal.part)
