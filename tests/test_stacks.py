"""Which Python and lock file `make setup` chooses, and what it says where none fits."""

import os
import re
import stat
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def script(name: str, commands: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script of the project, with `commands` before those of the machine."""
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", str(ROOT / "scripts" / name)],
        env={**os.environ, "PATH": path, "PYTHON": "", **environment},
        capture_output=True,
        text=True,
    )


def command(directory: Path, name: str, answer: str) -> Path:
    """A command that gives one answer, whatever it is asked."""
    path = directory / name
    path.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def machine(directory: Path, system: str, processor: str, glibc: str) -> None:
    """Commands that describe another machine."""
    command(directory, "uname", f'[ "$1" = -s ] && echo {system} || echo {processor}')
    command(directory, "getconf", f"echo glibc {glibc}" if glibc else "exit 1")


@pytest.mark.parametrize(
    ("system", "processor", "glibc", "python"),
    [
        ("Linux", "x86_64", "2.36", "3.10"),
        ("Linux", "x86_64", "2.4", "3.10"),
        ("Linux", "x86_64", "2.39", "3.11"),
        ("Linux", "x86_64", "2.100", "3.11"),
        ("Linux", "x86_64", "", "3.10"),
        ("Darwin", "arm64", "", "3.11"),
    ],
)
def test_the_machine_chooses_the_stack(
    tmp_path: Path, system: str, processor: str, glibc: str, python: str
) -> None:
    machine(tmp_path, system, processor, glibc)
    assert script("stack.sh", tmp_path).stdout == f"{python}\n"


def test_a_machine_without_packages_is_refused_with_the_reason(tmp_path: Path) -> None:
    machine(tmp_path, "Linux", "aarch64", "2.41")
    answer = script("setup.sh", tmp_path)
    assert answer.returncode == 2
    assert "no packages for Linux on aarch64" in answer.stderr


@pytest.mark.parametrize(
    ("version", "glibc", "words"),
    [
        ("3.11", "2.36", ["Python 3.11", "glibc 2.39", "this machine has glibc 2.36", "test-next"]),
        ("3.12", "2.36", ["Python 3.12", "3.10 or 3.11", "PYTHON=python3.10"]),
        ("3.12", "2.41", ["Python 3.12", "3.10 or 3.11", "PYTHON=python3.11"]),
    ],
)
def test_a_python_that_does_not_fit_is_refused_with_the_reason(
    tmp_path: Path, version: str, glibc: str, words: list[str]
) -> None:
    machine(tmp_path, "Linux", "x86_64", glibc)
    python = command(tmp_path, "its-python", f"echo {version}")
    answer = script("setup.sh", tmp_path, PYTHON=str(python))
    assert answer.returncode == 2
    for word in words:
        assert word in answer.stderr


def test_an_absent_python_is_named_with_the_remedy(tmp_path: Path) -> None:
    answer = script("setup.sh", tmp_path, PYTHON="python-of-nobody")
    assert answer.returncode == 2
    assert "python-of-nobody is not installed" in answer.stderr
    assert "make setup PYTHON=" in answer.stderr


def test_this_environment_is_what_its_lock_says() -> None:
    """Nothing missing, nothing of another version; the extra packages of one's own do no harm."""
    lock = (ROOT / f"requirements/py{HERE.replace('.', '')}.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", lock, re.MULTILINE))
    assert len(pinned) > 200
    assert {name: version(name) for name in pinned} == pinned


@pytest.mark.parametrize(
    "lock",
    ["py310.txt", "py310-run.txt", "py311.txt", "py311-run.txt", "tables.txt", "rivals.txt"],
)
def test_locks_hold_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    assert "://" not in text
    for entry in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in entry, entry


@pytest.mark.parametrize("stack", ["py310", "py311"])
def test_the_lock_for_runs_is_a_subset_of_the_lock_for_development(stack: str) -> None:
    whole, run = (_entries(f"{stack}.txt"), _entries(f"{stack}-run.txt"))
    assert run < whole
    names = {entry.split("==")[0] for entry in run}
    assert "tfx" in names
    assert not names & {"matplotlib", "mypy", "pip", "pytest", "ruff", "uv"}


def _entries(lock: str) -> set[str]:
    """Packages with their hashes."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return set(re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:])
