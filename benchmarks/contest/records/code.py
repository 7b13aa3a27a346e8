"""Names the code that was measured."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from benchmarks.measuring.process import ROOT

UNKNOWN = "unknown"
_PATHS = (
    "benchmarks", "components", "data/bike_sharing", "data/penguins", "pipeline", "pyproject.toml",
    "requirements", "serving", "trainer_module",
)  # fmt: skip
"""What can change a result. A commit of tests or documentation alone keeps the name."""


def describe_code(root: Path = ROOT) -> str:
    """Returns the last commit of the code that can change a result.

    Behind a `+` comes the hash of uncommitted changes: they make it another code. Without git, the
    code is `unknown`.
    """
    try:
        commit = _ask_git(root, "log", "-1", "--format=%h", "--abbrev=8", "--", *_PATHS).strip()
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    changes = hashlib.sha256(_ask_git(root, "diff", "HEAD", "--", *_PATHS).encode())
    added = _ask_git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *_PATHS)
    for path in filter(None, added.split("\0")):
        changes.update(path.encode() + (root / path).read_bytes())
    is_clean = changes.digest() == hashlib.sha256().digest()
    return commit if is_clean else f"{commit}+{changes.hexdigest()[:8]}"


def _ask_git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
