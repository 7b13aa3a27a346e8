"""From YAML files and `--set` assignments to a validated configuration.

Every error names the place the way the user wrote it: file, line and key, or the assignment.
"""

from __future__ import annotations

import difflib
import json
import re
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from pipeline.config.base import BrokenRulesError, Key, RuleError, dotted
from pipeline.config.commands import pipeline_command
from pipeline.config.errors import ConfigError, ConfigMistakesError
from pipeline.config.root import Config
from pipeline.config.secrets import HINT, first_secret, looks_secret

_MOST_NODES = 100_000
_MOST_TOLD = 10
"""Of a file that was made for something else, nearly all keys are wrong."""
_TABLES = (".csv", ".tsv", ".parquet", ".gz")
"""What need not be read, however large, to know that it is no configuration."""

Origins = dict[Key, str]
"""Where each key was written: `file.yaml:12`, or the `--set` assignment."""


def load_config(paths: Sequence[Path], assignments: Sequence[str] = ()) -> Config:
    """Reads the files, later ones over earlier ones, then the `section.key=value` assignments.

    Raises:
      ConfigError: for all that is wrong, each with its place and the nearest known key.
    """
    merged: dict[str, Any] = {}
    origins: Origins = {}
    for path in paths:
        _merge(merged, _read_yaml(path), origins, str(path))
    return _assigned(merged, assignments, origins, str(paths[0]))


def override(compiled: str, assignments: Sequence[str]) -> Config:
    """The configuration in `compiled`, JSON that was made of one, with assignments over it.

    Raises:
      ConfigError: as `load_config`.
    """
    return _assigned(json.loads(compiled), assignments, {}, "the compiled configuration")


def _assigned(
    content: dict[str, Any], assignments: Sequence[str], origins: Origins, source: str
) -> Config:
    for assignment in assignments:
        _assign(content, assignment, origins)
    _refuse_secrets(content, origins, source)
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        raise _explain(error, content, origins, source) from None


def _refuse_secrets(content: dict[str, Any], origins: Origins, file: str) -> None:
    """Before anything can repeat the text in a message."""
    if found := first_secret(content):
        key, kind = found
        raise ConfigError(f"{_secret_place(key, origins, file)}: {dotted(key)}: {kind}", HINT)


def _read_yaml(path: Path) -> CommentedMap:
    if path.suffix.lower() in _TABLES and path.exists():
        raise _no_configuration(path)
    try:
        text = path.read_bytes()
        _refuse_expansion(path, text)
        content = YAML(typ="rt").load(text)
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such file", f"`{pipeline_command('init')}` writes a configuration"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{path}{line}: not valid YAML: {problem}") from None
    if not isinstance(content, CommentedMap):
        raise _no_configuration(path)
    return content


def _no_configuration(path: Path) -> ConfigError:
    init = pipeline_command("init", "--data", path, "--label", "COLUMN", "--output", "config.yaml")
    message = f"{path}: a configuration is a mapping of sections"
    return ConfigError(message, f"if that is a table, `{init}` writes one for it")


def _refuse_expansion(place: Path | str, text: bytes) -> None:
    """A few lines of nested aliases can expand to more than memory holds, so there are none."""
    for count, event in enumerate(YAML(typ="safe").parse(text)):
        if isinstance(event, AliasEvent):
            raise ConfigError(
                f"{place}:{event.start_mark.line + 1}: YAML aliases (*name) are not supported",
                "use several files: --config base.yaml --config overlay.yaml",
            )
        if count > _MOST_NODES:
            raise ConfigError(f"{place}: too large for a configuration")


def _merge(base: dict[str, Any], update: Any, origins: Origins, file: str, at: Key = ()) -> None:
    _refuse_tag(update, origins.get(at, file))
    for key, value in update.items():
        if isinstance(key, (CommentedMap, CommentedSeq, tuple, frozenset)):
            raise ConfigError(f"{file}:{update.lc.line + 1}: a key must be text")
        here = (*at, str(key))
        name = str(key)
        origins[here] = f"{file}:{update.lc.key(key)[0] + 1}"
        if isinstance(value, CommentedMap):
            if not isinstance(base.get(name), dict):
                base[name] = {}
            _merge(base[name], value, origins, file, here)
        else:
            _forget_below(origins, here)
            base[name] = _plain(value, origins, file, here)


def _plain(value: Any, origins: Origins, file: str, at: Key) -> Any:
    """The value without ruamel's wrappers, its items' places noted."""
    _refuse_tag(value, origins[at])
    if isinstance(value, CommentedMap):
        result: dict[str, Any] = {}
        _merge(result, value, origins, file, at)
        return result
    if isinstance(value, CommentedSeq):
        for index in range(len(value)):
            item: Key = (*at, index)
            origins[item] = f"{file}:{value.lc.item(index)[0] + 1}"
        return [_plain(item, origins, file, (*at, i)) for i, item in enumerate(value)]
    return value


def _refuse_tag(value: Any, place: str) -> None:
    """A tag such as `!!python/object` asks to make an object of any class."""
    if tag := getattr(getattr(value, "tag", None), "value", None):
        raise ConfigError(f"{place}: YAML tags such as {tag} are not supported")


def _assign(target: dict[str, Any], assignment: str, origins: Origins) -> None:
    dotted, separator, text = assignment.partition("=")
    if not separator or not dotted:
        raise ConfigError(f"--set {assignment}: not of the form section.key=value")
    keys = _split_key(dotted)
    try:
        _refuse_expansion(f"--set {dotted}", text.encode(errors="surrogateescape"))
        value = YAML(typ="safe").load(text) if text else None
    except YAMLError:
        raise ConfigError(f"--set {assignment}: the value is not valid YAML") from None
    for depth in range(len(keys)):
        origins[keys[: depth + 1]] = f"--set {assignment}"
    for key in keys[:-1]:
        if isinstance(target.get(key), str):  # A feature in shorthand: `fare: numeric`.
            target[key] = {"kind": target[key]}
        elif not isinstance(target.get(key), dict):
            target[key] = {}
        target = target[key]
    target[keys[-1]] = value
    _forget_below(origins, keys)


def _forget_below(origins: Origins, key: Key) -> None:
    """What stood below a key is gone when the key is given a new value."""
    for other in [o for o in origins if len(o) > len(key) and o[: len(key)] == key]:
        del origins[other]


def _split_key(dotted: str) -> tuple[str, ...]:
    """Splits at dots, but not inside double quotes: `features."trip.miles".scale`."""
    parts = [""]
    quoted = False
    for character in dotted:
        if character == '"':
            quoted = not quoted
        elif character == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(parts)


def _explain(error: ValidationError, content: Any, origins: Origins, file: str) -> ConfigError:
    faults: dict[Key, tuple[str, str]] = {}
    # An unknown key is most often a misspelt one, and then the cause of a missing one.
    details = sorted(error.errors(), key=lambda d: d["type"] != "extra_forbidden")
    misspelt = {d["loc"][:-1] for d in details if d["type"] == "extra_forbidden"}
    for detail in details:
        if detail["type"] == "missing" and detail["loc"][:-1] in misspelt:
            continue
        for key, problem, hint in _faults(detail, content):
            faults.setdefault(key, (problem, hint))
    told = []
    for key, (problem, hint) in faults.items():
        place = _secret_place if key and looks_secret(str(key[-1])) else _place
        told.append(ConfigError(f"{place(key, origins, file)}: {dotted(key)}: {problem}", hint))
    if len(told) > _MOST_TOLD:
        told = [*told[:_MOST_TOLD], ConfigError(f"{len(told) - _MOST_TOLD} more mistakes")]
    return told[0] if len(told) == 1 else ConfigMistakesError(told)


def _faults(detail: Any, content: Any) -> Iterator[tuple[Key, str, str]]:
    """The key, the problem and the hint of each mistake that pydantic tells as one."""
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, (RuleError, BrokenRulesError)):
        broken = cause.broken if isinstance(cause, BrokenRulesError) else (cause,)
        yield from ((rule.key, str(rule), "") for rule in broken)
    else:
        key = _as_typed(detail, content)
        yield key, _problem(detail), _hint(detail)


def _place(key: Key, origins: Origins, file: str) -> str:
    """Where a key, or the nearest section around it, was written."""
    known = (origins[key[:n]] for n in range(len(key), 0, -1) if key[:n] in origins)
    return next(known, file)


def _secret_place(key: Key, origins: Origins, file: str) -> str:
    """The same, an assignment without its value."""
    place = _place(key, origins, file)
    return place.partition("=")[0] if place.startswith("--set ") else place


def _as_typed(detail: Any, content: Any) -> Key:
    """Without what pydantic inserts: the tag of a feature's kind, the members of a union."""
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


_TYPES_IN_YAML = {
    "tuple_type": "a list in brackets, such as [a, b]",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}
"""What pydantic calls by the names of Python's types, by the kind of its error."""


def _problem(detail: Any) -> str:
    if detail["type"] == "extra_forbidden":
        return "unknown key"
    if detail["type"] == "missing":
        return "is required"
    if detail["type"] in _TYPES_IN_YAML:
        shown = "" if isinstance(detail["input"], dict) else f", not {detail['input']!r}"
        return f"should be {_TYPES_IN_YAML[detail['type']]}{shown}"
    if detail["type"] in ("too_short", "string_too_short"):  # Nowhere is more than one asked for.
        return "should not be empty"
    if detail["type"] == "union_tag_invalid":
        return f"there is no kind '{detail['ctx']['tag']}'; there are {', '.join(_kinds(detail))}"
    message = str(detail["msg"])
    message = message.removeprefix("Value error, ").removeprefix("Input ").removeprefix("String ")
    shown = "" if isinstance(detail["input"], (dict, list, tuple)) else f", not {detail['input']!r}"
    if detail["type"] == "union_tag_not_found":
        return "a feature needs a kind"
    return message if detail["type"] == "value_error" else message + shown


def _hint(detail: Any) -> str:
    if detail["type"] == "union_tag_not_found":
        return 'dots in a column\'s name stand in double quotes: features."a.b".kind'
    if detail["type"] == "union_tag_invalid":
        near = difflib.get_close_matches(detail["ctx"]["tag"], _kinds(detail), n=1, cutoff=0.5)
        return f"did you mean '{near[0]}'?" if near else ""
    known = _known_keys(Config, detail["loc"][:-1])
    if detail["type"] != "extra_forbidden" or not known:
        return ""
    near = difflib.get_close_matches(str(detail["loc"][-1]), known, n=1, cutoff=0.5)
    return f"did you mean '{near[0]}'?" if near else f"known here: {', '.join(known)}"


def _kinds(detail: Any) -> list[str]:
    """The kinds of features that pydantic expected, each between quotes."""
    return re.findall(r"'(\w+)'", detail["ctx"]["expected_tags"])


def _known_keys(section: Any, location: Key) -> list[str]:
    """The keys that the model at `location` accepts."""
    for step in location:
        if isinstance(section, type) and issubclass(section, BaseModel):
            fields = {f.alias or name: f for name, f in section.model_fields.items()}
            section = _if_given(fields[str(step)].annotation) if str(step) in fields else None
        else:
            section = _inside(section, step)
    if isinstance(section, type) and issubclass(section, BaseModel):
        return [f.alias or name for name, f in section.model_fields.items()]
    return []


def _if_given(annotation: Any) -> Any:
    """The type of what may be left out, where it is not left out."""
    given = [member for member in typing.get_args(annotation) if member is not type(None)]
    optional = len(given) < len(typing.get_args(annotation)) and len(given) == 1
    return given[0] if optional else annotation


def _inside(annotation: Any, step: str | int) -> Any:
    """The type of a mapping's values, of a sequence's items, or of a union's member by its tag."""
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
