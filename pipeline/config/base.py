"""What every section of the configuration has in common."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from pydantic import AfterValidator, BaseModel, ConfigDict


class Section(BaseModel):
    """A frozen part of the configuration that refuses keys it does not know.

    The sentence under each field is its help text: `--help`, the error messages and
    docs/configuration.md are made from it.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    def to_json(self) -> str:
        """The section as canonical JSON; a cache key, for equal sections give equal texts."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)


Key = tuple[str | int, ...]
"""Where something stands in the configuration: names, and places in lists, counted from 0."""


class RuleError(ValueError):
    """A rule between keys is broken; `key` is the one to change, from the root on."""

    def __init__(self, key: Key, message: str) -> None:
        super().__init__(message)
        self.key = key


class BrokenRulesError(ValueError):
    """All the rules that are broken, to be told together."""

    def __init__(self, broken: Iterable[RuleError]) -> None:
        self.broken = tuple(broken)
        super().__init__("; ".join(map(str, self.broken)))


def dotted(key: Key) -> str:
    """The key as in `--set`; of a list, the entries are counted: `thresholds[2nd].metric`."""
    text = ""
    for step in key:
        name = str(step).replace('"', '""')
        quoted = f'"{name}"' if "." in name or '"' in name else name
        text += f"[{_ordinal(step + 1)}]" if isinstance(step, int) else f".{quoted}"
    return text.removeprefix(".")


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def matching(pattern: str, words: str) -> AfterValidator:
    """Text that matches the whole pattern; who types another is told what in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"should be {words}, not {text!r}")
        return text

    return AfterValidator(check)
