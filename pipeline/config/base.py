"""What every section of the configuration has in common."""

from __future__ import annotations

import json
import re

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


class RuleError(ValueError):
    """A rule between sections is broken; `key` is the one to change, as the user typed it."""

    def __init__(self, key: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.key = key


def matching(pattern: str, words: str) -> AfterValidator:
    """Text that matches the whole pattern; who types another is told what in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"should be {words}, not {text!r}")
        return text

    return AfterValidator(check)
