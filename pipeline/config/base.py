"""What all sections of the configuration have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
)


class Section(BaseModel):
    """A frozen section of the configuration that refuses unknown keys.

    The sentence under each field is its help text, from which docs/configuration.md is made.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    later_keys: ClassVar[frozenset[str]] = frozenset()
    """Keys that later versions added. With its default, such a key is left out of the JSON: caches
    and the keys of models that an earlier version made then stay as they were."""

    @model_serializer(mode="wrap")
    def _leave_out_later_keys(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = serialize(self)
        for name in self.later_keys:
            if getattr(self, name) == type(self).model_fields[name].default:
                fields.pop(name, None)
        return fields

    def to_json(self) -> str:
        """Returns the section as canonical JSON.

        Equal sections give equal texts, so the text is a cache key.
        """
        fields = self.model_dump(mode="json", by_alias=True)
        return json.dumps(fields, sort_keys=True, ensure_ascii=False)


Key = tuple[str | int, ...]
"""The path of a value in the configuration: names, and positions in lists counted from 0."""


class RuleError(ValueError):
    """A rule between keys is broken; `key` is the path of the key that the user should change."""

    def __init__(self, key: Key, message: str) -> None:
        super().__init__(message)
        self.key = key


class BrokenRulesError(ValueError):
    """All broken rules, for one message."""

    def __init__(self, broken: Iterable[RuleError]) -> None:
        self.broken = tuple(broken)
        super().__init__("; ".join(map(str, self.broken)))


def dotted(key: Key) -> str:
    """Returns the key as in `--set`; list entries are counted, as in `thresholds[2nd].metric`."""
    text = ""
    for step in key:
        name = str(step).replace('"', '""')
        quoted = f'"{name}"' if "." in name or '"' in name else name
        text += f"[{_ordinal(step + 1)}]" if isinstance(step, int) else f".{quoted}"
    return text.removeprefix(".")


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def list_values(content: Mapping[str, Any], at: Key = ()) -> Iterator[tuple[str, str]]:
    """Yields each value of a part of the configuration as text, with its key as in `--set`.

    A list is one value: the place of an entry says little about what the entry means.

    Args:
      content: the part, as plain types.
      at: the key of the part.
    """
    for name, value in content.items():
        here = (*at, str(name))
        if isinstance(value, Mapping) and value:
            yield from list_values(value, here)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield dotted(here), text


def matching(pattern: str, words: str) -> AfterValidator:
    """Returns a validator of text that matches the whole pattern; `words` describe the pattern."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must be {words}, not {text!r}")
        return text

    return AfterValidator(check)
