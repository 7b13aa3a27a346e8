"""Turns pydantic's errors into messages for the user: place, key, problem and hint.

Pydantic names the path through its models instead of the keys in the file.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.config.base import BrokenRulesError, Key, RuleError, dotted
from pipeline.config.problems import describe_problem
from pipeline.config.root import Config
from pipeline.config.secrets import looks_secret
from pipeline.core.errors import ConfigError, ConfigMistakesError

_MAX_REPORTED = 10
"""In a file that is no configuration of this project, nearly every key is a mistake."""

Origins = dict[Key, str]
"""The place of each key: `file.yaml:12`, or the `--set` assignment."""


def explain(error: ValidationError, content: Any, origins: Origins, file: str) -> ConfigError:
    """Returns an error with all mistakes in `content`; a key without a known place gets `file`."""
    faults: dict[Key, tuple[str, str]] = {}
    # An unknown key is most often a misspelt required key, which is then not reported as missing.
    details = sorted(error.errors(), key=lambda d: d["type"] != "extra_forbidden")
    misspelt = {d["loc"][:-1] for d in details if d["type"] == "extra_forbidden"}
    faulty = {d["loc"][:n] for d in details for n in range(len(d["loc"]))}
    for detail in details:
        if detail["type"] == "missing" and detail["loc"][:-1] in misspelt:
            continue
        # Pydantic counts valid items only, and a list with one invalid item is not empty.
        if detail["type"] == "too_short" and detail["loc"] in faulty:
            continue
        for key, problem, hint in _faults(detail, content):
            faults.setdefault(key, (problem, hint))
    mistakes = []
    for key, (problem, hint) in faults.items():
        place = secret_place if key and looks_secret(str(key[-1])) else _place
        message = f"{place(key, origins, file)}: {dotted(key)}: {problem}"
        mistakes.append(ConfigError(message, hint))
    if len(mistakes) > _MAX_REPORTED:
        rest = ConfigError(f"{len(mistakes) - _MAX_REPORTED} more mistakes")
        mistakes = [*mistakes[:_MAX_REPORTED], rest]
    return mistakes[0] if len(mistakes) == 1 else ConfigMistakesError(mistakes)


def _faults(detail: Any, content: Any) -> Iterator[tuple[Key, str, str]]:
    """Yields key, problem and hint of each mistake in one of pydantic's errors."""
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, (RuleError, BrokenRulesError)):
        broken = cause.broken if isinstance(cause, BrokenRulesError) else (cause,)
        yield from ((rule.key, str(rule), "") for rule in broken)
    else:
        key = _as_typed(detail, content)
        yield key, _problem(detail), _hint(detail)


def _place(key: Key, origins: Origins, file: str) -> str:
    """Returns the place of a key, or of the nearest section around it."""
    known = (origins[key[:n]] for n in range(len(key), 0, -1) if key[:n] in origins)
    return next(known, file)


def secret_place(key: Key, origins: Origins, file: str) -> str:
    """Returns the place of a key; from an assignment, the value is removed."""
    place = _place(key, origins, file)
    return place.partition("=")[0] if place.startswith("--set ") else place


def _as_typed(detail: Any, content: Any) -> Key:
    """Returns the key as typed: pydantic adds the kind of a feature and the members of a union."""
    location: Key = detail["loc"]
    if location[:1] == ("features",) and len(location) > 3:
        location = (*location[:2], *location[3:])
    if detail["type"] == "missing":
        return location
    depth = 0
    while depth < len(location) and _has(content, location[depth]):
        content = content[location[depth]]
        depth += 1
    return location[:depth]


def _has(content: Any, step: str | int) -> bool:
    if isinstance(content, dict):
        return step in content
    return isinstance(content, list) and isinstance(step, int)


_NOTHING_TO_DROP = "has no value; null drops a key of an earlier file, and none has this key"


def _problem(detail: Any) -> str:
    if detail["type"] == "extra_forbidden":
        return "unknown key"
    if detail["type"] == "missing":
        return "is required"
    if detail["input"] is None and has_names_as_keys(detail["loc"][:-1]):
        return _NOTHING_TO_DROP
    if detail["type"] == "union_tag_invalid":
        return f"there is no kind '{detail['ctx']['tag']}'; known are {', '.join(_kinds(detail))}"
    if detail["type"] == "union_tag_not_found":
        return "a feature needs a kind"
    return describe_problem(detail)


def _hint(detail: Any) -> str:
    if detail["type"] == "union_tag_not_found":
        return 'put a column name with dots into double quotes: features."a.b".kind'
    if detail["type"] == "union_tag_invalid":
        near = difflib.get_close_matches(detail["ctx"]["tag"], _kinds(detail), n=1, cutoff=0.5)
        return f"did you mean '{near[0]}'?" if near else ""
    known = _known_keys(Config, detail["loc"][:-1])
    if detail["type"] != "extra_forbidden" or not known:
        return ""
    near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1, cutoff=0.5)
    return f"did you mean '{near[0]}'?" if near else f"known here: {', '.join(known)}"


def _kinds(detail: Any) -> list[str]:
    """Returns the feature kinds that pydantic expected; its message quotes each."""
    return re.findall(r"'(\w+)'", detail["ctx"]["expected_tags"])


def has_names_as_keys(location: Key) -> bool:
    """Whether the keys of the mapping at `location` are the user's names, as in `features`."""
    return typing.get_origin(_type_at(Config, location)) is dict


def _known_keys(section: Any, location: Key) -> list[str]:
    """Returns the keys that the section at `location` accepts."""
    section = _type_at(section, location)
    if isinstance(section, type) and issubclass(section, BaseModel):
        return [f.alias or name for name, f in section.model_fields.items()]
    return []


def _type_at(section: Any, location: Key) -> Any:
    """Returns the type of the value at `location` below the section, None if there is none."""
    for step in location:
        if isinstance(section, type) and issubclass(section, BaseModel):
            fields = {f.alias or name: f for name, f in section.model_fields.items()}
            section = _without_none(fields[str(step)].annotation) if str(step) in fields else None
        else:
            section = _inside(section, step)
    return section


def _without_none(annotation: Any) -> Any:
    """Returns the type X of `X | None`, and any other type unchanged."""
    members = [member for member in typing.get_args(annotation) if member is not type(None)]
    optional = len(members) < len(typing.get_args(annotation)) and len(members) == 1
    return members[0] if optional else annotation


def _inside(annotation: Any, step: str | int) -> Any:
    """Returns the type of a mapping's values, a sequence's items or a union's member of kind \
`step`."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is dict:
        return arguments[1]
    if typing.get_origin(annotation) is tuple:
        return arguments[0]
    if typing.get_origin(annotation) is typing.Annotated:
        return _inside(arguments[0], step)
    for member in arguments:
        if isinstance(member, type) and issubclass(member, BaseModel):
            if "kind" in member.model_fields and member.model_fields["kind"].default == step:
                return member
        elif typing.get_origin(member) is not None and (found := _inside(member, step)):
            return found
    return None
