"""The image as a registry or a container tool of this machine knows it: its digest, its labels.

A tag can be moved: tomorrow's run would be of other code, and Kubeflow's cache would not see it.
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
_TOOLS = (
    # The registry's own answer first: what this machine holds may be older.
    ("skopeo", "inspect", "docker://{}"),
    ("podman", "image", "inspect", "{}"),
    ("docker", "image", "inspect", "{}"),
)


@dataclass(frozen=True)
class Image:
    """An image, by its digest where one is known."""

    name: str
    labels: Mapping[str, str] | None = field(default=None)
    """None where nobody could be asked."""


def pin_image(name: str, allow_tag: bool) -> Image:
    """The image `name` with its digest.

    Raises:
      ConfigError: nobody knows the digest, and a tag is not allowed; or the digest is none.
    """
    if "@" in name and not _DIGEST.search(name):
        raise ConfigError(f"image {name}: behind the @ stands sha256: and 64 hexadecimal digits")
    replies = [_inspect(question, name) for question in _TOOLS]
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
        f"kubeflow.image: nobody here knows the digest of {name}{refusal}",
        "push it, and have skopeo installed here, or docker; or name it as --image "
        "NAME@sha256:..., by what `podman push --digestfile FILE NAME` writes; or run whatever is "
        "behind the tag with --allow-tag",
    )


def check_tfx_version(image: Image, compiled_with: str) -> str | None:
    """A sentence where that could not be found out.

    Raises:
      ConfigError: the image has another TFX than the one that compiled.
    """
    found = (image.labels or {}).get(TFX_LABEL)
    if found is None:
        return f"Not checked: whether {image.name} has TFX {compiled_with}, which compiled this."
    if found != compiled_with:
        raise ConfigError(
            f"kubeflow.image: {image.name} has TFX {found}, and this was compiled with "
            f"{compiled_with}",
            "compile and deploy with the environment that the image was built from",
        )
    return None


def _inspect(question: Sequence[str], name: str) -> dict[str, Any] | str | None:
    """The answer of a tool, or why it gives none; None where the tool is not there."""
    if shutil.which(question[0]) is None:
        return None
    command = [part.format(name) for part in question]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        answer = json.loads(asked.stdout) if asked.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)
    if answer is None:
        return _last_line(asked.stderr)
    answer = answer[0] if isinstance(answer, list) and answer else answer
    return answer if isinstance(answer, dict) else f"no object: {answer}"


def _last_line(text: str) -> str:
    """Without the time and the level that skopeo puts before what it says."""
    line = text.strip().rpartition("\n")[2]
    return _LOGGED.sub(r"\1", line).replace('\\"', '"') or "nothing"


def _read_labels(answer: Mapping[str, Any]) -> Mapping[str, str]:
    labels: Mapping[str, str] = (
        answer.get("Labels") or (answer.get("Config") or {}).get("Labels") or {}
    )
    return labels


def _read_registry_digest(answer: Mapping[str, Any], name: str) -> str | None:
    """That of the registry, which no image has that was never pushed.

    Podman, also where it is called docker, names one that it made up itself at the build, and goes
    on doing so after a push has compressed the layers to others. It alone says both.
    """
    own, pushed = answer.get("Digest"), answer.get("RepoDigests")
    if pushed is None:
        return own
    if own is not None:
        return None
    repository = _strip_tag(name)
    found = (digest.rpartition("@") for digest in pushed)
    return next(
        (digest for known, _, digest in found if _is_same_repository(known, repository)), None
    )


def _strip_tag(name: str) -> str:
    """Without the tag; a colon before the last slash belongs to the registry's port."""
    folder, slash, last = name.partition("@")[0].rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def _is_same_repository(known: str, repository: str) -> bool:
    """Docker leaves out its own registry's name."""
    return known.removeprefix("docker.io/").removeprefix("library/") == repository.removeprefix(
        "docker.io/"
    ).removeprefix("library/")
