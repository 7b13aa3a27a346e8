"""Refuses secrets in the configuration, which every run copies into logs, metadata and artifacts.

Secrets belong into environment variables or credential files, where libraries look for them. The
project never records the environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.config.base import Key

_URL_WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/@]*:[^\s/@]+@", re.IGNORECASE)
_SIGNED_URL = re.compile(
    r"[?&](?:x-amz-signature|x-amz-security-token|x-goog-signature|sig|token|access_token"
    r"|password|secret|api_?key)=",
    re.IGNORECASE,
)
_SECRET_NAME = (
    r"secret|password|passwd|passphrase|(?<!by)(?<!com)pass(?![a-z])|(?<=_)pwd(?![a-z])"
    r"|token(?!iz)|credential|connection_?string"
    r"|(?:api|access|account|encryption|private|signing|ssh|storage)_?key"
)
_SECRET_FLAG = re.compile(rf"--\w*(?:{_SECRET_NAME})\w*(?:=|$)", re.IGNORECASE)
_SECRET_VARIABLE = re.compile(_SECRET_NAME, re.IGNORECASE)
_KEY_MATERIAL = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bhf_\w{30,}")
_BEARER = re.compile(r"\bBearer\s+[\w.~+/-]{6,}")
_ASSIGNMENT = re.compile(
    r"^(?P<option>(?:--set=|--parameter=|overrides=)*)(?P<key>[^=\s]+)=(?P<value>.*)", re.DOTALL
)
_PATTERNS = {
    "holds a user and a password in a URL": _URL_WITH_PASSWORD,
    "holds a signature or a token in a URL": _SIGNED_URL,
    "passes a secret as a flag": _SECRET_FLAG,
    "holds a key": _KEY_MATERIAL,
    "holds a token": _BEARER,
}

HINT = (
    "every run records its configuration: remove the secret, and pass it to the library in an "
    "environment variable (such as AWS_SECRET_ACCESS_KEY) or a credentials file"
)

MASK = "********"
"""Stands for a secret wherever a configuration is shown."""
_ABOUT_COLUMNS = ("data", "features", "label", "validation", "evaluation")

# Names and values of columns are left out: text that looks like a secret there is data.
_PLACES: tuple[tuple[str, str], ...] = (
    ("data", "path"), ("data", "query"), ("schema", "path"), ("serving", "directory"),
    ("engine", "image"), ("engine", "page"), ("beam", "args"),
    ("kubeflow", "image"), ("kubeflow", "pipeline_root"),
    ("kubeflow", "defaults"), ("kubeflow", "components"), ("kubeflow", "workers"),
)  # fmt: skip


def looks_secret(variable: str) -> bool:
    """Returns whether the name of an environment variable suggests a secret."""
    return _SECRET_VARIABLE.search(variable) is not None


def mask_secrets(content: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the configuration with `MASK` for each text that looks secret.

    `first_secret` refuses secrets where libraries take them. This function also masks the free
    options of a user's own code. It skips the sections that hold names and values of columns.
    """
    return {key: v if key in _ABOUT_COLUMNS else _mask(v, key) for key, v in content.items()}


def mask_assignments(arguments: Sequence[str]) -> tuple[str, ...]:
    """Returns the arguments of a command with `MASK` for each value that looks secret.

    A value stands in KEY=VALUE, as `--set` and the parameter `overrides` on Kubeflow take it.
    """
    return tuple(_ASSIGNMENT.sub(_mask_assignment, argument) for argument in arguments)


def _mask_assignment(assignment: re.Match[str]) -> str:
    key, value = assignment["key"], assignment["value"]
    if key.partition(".")[0] in _ABOUT_COLUMNS:
        return assignment[0]
    # A mapping such as {auth_token: ...} names its secrets itself.
    named = looks_secret(f"{key} {value}" if value.lstrip().startswith("{") else key)
    return f"{assignment['option']}{key}={MASK}" if named or _holds_secret(value) else assignment[0]


def _mask(value: Any, name: str, is_below: bool = False) -> Any:
    """Returns a value with its secrets masked; `is_below`: a key above the value looks secret."""
    is_secret = is_below or looks_secret(name)
    if isinstance(value, Mapping):
        return {key: _mask(item, str(key), is_secret) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask(item, name, is_below) for item in value]
    if isinstance(value, str):
        return MASK if is_secret or _holds_secret(value) else value
    # No token is a number, but there are numbers of tokens.
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return MASK if is_secret and is_number and "token" not in name.lower() else value


def _holds_secret(text: str) -> bool:
    return any(pattern.search(text) for pattern in _PATTERNS.values())


def first_secret(content: Mapping[str, Any]) -> tuple[Key, str] | None:
    """Returns the key of the first secret and its kind, never the secret itself; or None."""
    for section, name in _PLACES:
        values = content.get(section)
        value = values.get(name) if isinstance(values, Mapping) else None
        for key, text in _texts(value, (section, name)):
            for kind, pattern in _PATTERNS.items():
                if pattern.search(text):
                    return key, kind
    return None


def _texts(value: Any, key: Key) -> Iterator[tuple[Key, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*key, index))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, (*key, name))
