"""Asks a registry or a container tool of this machine for an image's digest and labels.

A tag is mutable: tomorrow's run could use other code, and Kubeflow's cache would not notice.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.core.errors import ConfigError

TFX_LABEL = "tfx.version"

_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
_LOGGED = re.compile(r'^time=\S+ level=\w+ msg="(.*)"$')
_SECONDS = 60
"""How long each tool may take. After that the tool counts as one that does not know the image."""
_TOOLS = (
    # The registry comes first: the image on this machine may be older.
    ("skopeo", "inspect", "docker://{}"),
    ("podman", "image", "inspect", "{}"),
    ("docker", "image", "inspect", "{}"),
)


@dataclass(frozen=True)
class Image:
    """An image; the name holds the digest if a tool knows it."""

    name: str
    labels: Mapping[str, str] | None = field(default=None)
    """None if no tool knows the image."""


def pin_image(name: str, allow_tag: bool) -> Image:
    """Returns the image `name` with its digest in place of its tag.

    Raises:
      ConfigError: no tool knows the digest and `allow_tag` is false, or the digest is malformed.
    """
    if "@" in name and not _DIGEST.search(name):
        raise ConfigError(f"image {name}: the @ has to precede sha256: and 64 hexadecimal digits")
    replies = [_inspect(tool, name) for tool in _TOOLS]
    answers = [reply for reply in replies if isinstance(reply, dict)]
    labels = next((_read_labels(answer) for answer in answers), None)
    if _DIGEST.search(name):
        return Image(name, labels)
    digest = next(
        (digest for answer in answers if (digest := _read_registry_digest(answer, name))), None
    )
    if digest is not None:
        return Image(f"{_strip_tag(name)}@{digest}", labels)
    if allow_tag:
        return Image(name, labels)
    refusal = f"; skopeo says: {replies[0]}" if isinstance(replies[0], str) else ""
    raise ConfigError(
        f"kubeflow.image: no tool here knows the digest of {name}{refusal}",
        "push the image, and install skopeo or docker on this machine; or pass --image "
        "NAME@sha256:... with the digest that `podman push --digestfile FILE NAME` writes; or "
        "deploy the mutable tag with --allow-tag",
    )


def check_tfx_version(image: Image, compiled_with: str) -> str | None:
    """Compares the TFX versions of the image and of the compiler.

    Returns:
      A sentence for the user if the image's version is unknown, otherwise None.

    Raises:
      ConfigError: the versions differ.
    """
    version = (image.labels or {}).get(TFX_LABEL)
    if version is None:
        return f"Not checked: whether {image.name} has TFX {compiled_with}, as the compiler had."
    if version != compiled_with:
        raise ConfigError(
            f"kubeflow.image: {image.name} has TFX {version}, but the pipeline was compiled with "
            f"{compiled_with}",
            "compile and deploy with the environment that the image was built from",
        )
    return None


def _inspect(tool: Sequence[str], name: str) -> dict[str, Any] | str | None:
    """Returns the tool's JSON answer, or its error message; None if the tool is not installed."""
    if shutil.which(tool[0]) is None:
        return None
    command = [part.format(name) for part in tool]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        answer = json.loads(process.stdout) if process.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)
    if answer is None:
        return _read_last_line(process.stderr)
    answer = answer[0] if isinstance(answer, list) and answer else answer
    return answer if isinstance(answer, dict) else f"no object: {answer}"


def _read_last_line(text: str) -> str:
    """Returns the last line without the time and the level that skopeo writes before a message."""
    line = text.strip().rpartition("\n")[2]
    return _LOGGED.sub(r"\1", line).replace('\\"', '"') or "nothing"


def _read_labels(answer: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = (
        answer.get("Labels") or (answer.get("Config") or {}).get("Labels") or {}
    )
    return labels


def _read_registry_digest(answer: Mapping[str, Any], name: str) -> str | None:
    """Returns the digest that the registry gave the image; None if the image was never pushed.

    Podman, also under the name docker, reports a digest that it computed at the build. A push
    compresses the layers, which changes the digest, but Podman still reports the old one. Only
    Podman reports both `Digest` and `RepoDigests`, so an answer with both is ignored.
    """
    digest, pushed = answer.get("Digest"), answer.get("RepoDigests")
    if pushed is None:
        return digest
    if digest is not None:
        return None
    repository = _strip_tag(name)
    found = (reference.rpartition("@") for reference in pushed)
    return next(
        (digest for known, _, digest in found if _is_same_repository(known, repository)), None
    )


def _strip_tag(name: str) -> str:
    """Returns the name without tag and digest.

    A colon before the last slash belongs to the registry's port.
    """
    folder, slash, last = name.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def _is_same_repository(known: str, repository: str) -> bool:
    """Whether both names mean the same repository: Docker leaves out the name of its registry."""
    return known.removeprefix("docker.io/").removeprefix("library/") == repository.removeprefix(
        "docker.io/"
    ).removeprefix("library/")
