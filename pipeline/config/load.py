"""Makes a validated configuration of YAML files and `--set` assignments.

Every error names the place as the user wrote it: file, line and key, or the assignment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from pipeline.config.base import Key, dotted
from pipeline.config.mistakes import Origins, explain, has_names_as_keys, secret_place
from pipeline.config.root import Config
from pipeline.config.secrets import HINT, first_secret
from pipeline.config.yaml_values import read_document, read_value
from pipeline.core.commands import pipeline_command
from pipeline.core.errors import ConfigError

_MAX_YAML_EVENTS = 100_000
"""The size of the largest configuration: about 600 times that of configs/taxi.yaml."""
_TABLES = (".csv", ".tsv", ".parquet", ".gz", ".xz", ".zst", ".bz2", ".zip")
"""Suffixes of tables: such a file is refused without reading it, however large it is."""


def load_config(paths: Sequence[Path], assignments: Sequence[str] = ()) -> Config:
    """Returns the configuration: later files override earlier ones, assignments override files.

    In a mapping whose keys are names of the user, such as `features`, null drops the entry of an
    earlier file. An empty file changes nothing.

    Args:
      assignments: texts such as `training.epochs=3`.

    Raises:
      ConfigError: with the place of every mistake and the nearest known key.
    """
    merged: dict[str, Any] = {}
    origins: Origins = {}
    for path in paths:
        _merge(merged, _read_yaml(path), origins, str(path))
    if not merged:
        raise _not_a_configuration(paths[0])
    return _validate(merged, assignments, origins, str(paths[0]))


def override(compiled: str, assignments: Sequence[str]) -> Config:
    """Returns the configuration in `compiled`, its JSON form, overridden by assignments.

    Raises:
      ConfigError: as `load_config`.
    """
    return _validate(json.loads(compiled), assignments, {}, "the compiled configuration")


def _validate(
    content: dict[str, Any], assignments: Sequence[str], origins: Origins, source: str
) -> Config:
    for assignment in assignments:
        _assign(content, assignment, origins)
    _refuse_secrets(content, origins, source)
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        raise explain(error, content, origins, source) from None


def _refuse_secrets(content: dict[str, Any], origins: Origins, file: str) -> None:
    """Raises ConfigError for a secret, before any other message can repeat it."""
    if found := first_secret(content):
        key, kind = found
        raise ConfigError(f"{secret_place(key, origins, file)}: {dotted(key)}: {kind}", HINT)


def _read_yaml(path: Path) -> CommentedMap:
    if path.suffix.lower() in _TABLES and path.exists():
        raise _not_a_configuration(path)
    if path.is_dir():
        raise ConfigError(f"{path}: is a directory", "name the configuration file in it")
    try:
        text = path.read_bytes()
        _refuse_expansion(path, text)
        content = read_document(text)
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such file", f"`{pipeline_command('init')}` writes a configuration"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not valid UTF-8 text") from None
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{path}{line}: not valid YAML: {problem}") from None
    if content is None:
        return CommentedMap()
    if not isinstance(content, CommentedMap):
        raise _not_a_configuration(path)
    return content


def _not_a_configuration(path: Path) -> ConfigError:
    init = pipeline_command("init", "--data", path, "--label", "COLUMN", "--output", "config.yaml")
    message = f"{path}: not a configuration, which is a mapping of sections"
    return ConfigError(message, f"if this file is a table, `{init}` writes a configuration for it")


def _refuse_expansion(place: Path | str, text: bytes) -> None:
    """Raises ConfigError for YAML aliases: a few nested lines could expand beyond the memory."""
    for count, event in enumerate(YAML(typ="safe").parse(text)):
        if isinstance(event, AliasEvent):
            raise ConfigError(
                f"{place}:{event.start_mark.line + 1}: YAML aliases (*name) are not supported",
                "use several files: --config base.yaml --config overlay.yaml",
            )
        if count > _MAX_YAML_EVENTS:
            raise ConfigError(f"{place}: too large for a configuration")


def _merge(base: dict[str, Any], update: Any, origins: Origins, file: str, at: Key = ()) -> None:
    _refuse_tag(update, origins.get(at, file))
    for key, value in update.items():
        if isinstance(key, (CommentedMap, CommentedSeq, tuple, frozenset)):
            raise ConfigError(f"{file}:{update.lc.line + 1}: a key must be text")
        here = (*at, str(key))
        name = str(key)
        if value is None and name in base and has_names_as_keys(at):
            _drop(base, origins, here)
            continue
        origins[here] = f"{file}:{_line_of(update, key)}"
        if isinstance(value, CommentedMap):
            if not isinstance(base.get(name), dict):
                base[name] = {}
            _merge(base[name], value, origins, file, here)
        else:
            _forget_below(origins, here)
            base[name] = _plain(value, origins, file, here)


def _line_of(mapping: CommentedMap, key: Any) -> int:
    """Returns the line of the key; a key from a merge (`<<`) gets the line of the mapping."""
    positions = mapping.lc.data or {}
    line: int = positions[key][0] if key in positions else mapping.lc.line
    return line + 1


def _drop(base: dict[str, Any], origins: Origins, key: Key) -> None:
    """Removes the last step of `key` from `base`, and its places."""
    del base[str(key[-1])]
    origins.pop(key, None)
    _forget_below(origins, key)


def _plain(value: Any, origins: Origins, file: str, at: Key) -> Any:
    """Returns the value without ruamel's wrappers, and records the places of its items."""
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
    """Raises ConfigError for a tag: `!!python/object` would create an object of any class."""
    if tag := getattr(getattr(value, "tag", None), "value", None):
        raise ConfigError(f"{place}: YAML tags such as {tag} are not supported")


def _assign(target: dict[str, Any], assignment: str, origins: Origins) -> None:
    dotted, separator, text = assignment.partition("=")
    if not separator or not dotted:
        raise ConfigError(f"--set {assignment}: not of the form section.key=value")
    keys = _split_key(dotted)
    try:
        _refuse_expansion(f"--set {dotted}", text.encode(errors="surrogateescape"))
        value = read_value(text) if text else None
    except (YAMLError, RecursionError):
        raise ConfigError(
            f"--set {assignment}: the value is not valid YAML",
            f"put text with signs into quotes: --set '{dotted}=\"...\"'",
        ) from None
    for depth in range(len(keys)):
        origins[keys[: depth + 1]] = f"--set {assignment}"
    for key in keys[:-1]:
        if isinstance(target.get(key), str):  # The short form of a feature: `fare: numeric`.
            target[key] = {"kind": target[key]}
        elif not isinstance(target.get(key), dict):
            target[key] = {}
        target = target[key]
    if value is None and keys[-1] in target and has_names_as_keys(keys[:-1]):
        _drop(target, origins, keys)
        return
    target[keys[-1]] = value
    _forget_below(origins, keys)


def _forget_below(origins: Origins, key: Key) -> None:
    """Removes the places below a key whose value was replaced."""
    for other in [o for o in origins if len(o) > len(key) and o[: len(key)] == key]:
        del origins[other]


def _split_key(dotted: str) -> tuple[str, ...]:
    """Splits a key at dots outside of double quotes: `features."trip.miles".scale`.

    Inside quotes, two double quotes stand for one.
    """
    parts = [""]
    for quoted, plain in re.findall(r'"((?:[^"]|"")*)"|(\.|[^".]+|")', dotted):
        if plain == ".":
            parts.append("")
        else:
            parts[-1] += plain or quoted.replace('""', '"')
    return tuple(parts)
