"""`make image`: which program builds the image, and with which arguments."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make_image(programs: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `make image` with `programs` and the few programs that the script itself needs."""
    for name in ("sh", "sed", "git", "uname", "dirname", "tr", "cut"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True)
        (programs / name).symlink_to(found.stdout.strip())
    return subprocess.run(
        ["/bin/sh", ROOT / "scripts/image.sh", "--network", "host"],
        env={"IMAGE": "name:tag", "PATH": str(programs), "HOME": os.environ["HOME"], **environment},
        capture_output=True,
        text=True,
    )


def install(programs: Path, name: str, script: str) -> None:
    (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (programs / name).chmod(0o755)


def read_build_arguments(answer: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Returns the build arguments by name."""
    return dict(re.findall(r"^(\w+)=(.*)$", answer.stdout, re.MULTILINE))


def read_locked_tfx_version(lock: str) -> str:
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    return re.findall(r"^tfx==(\S+)", text, re.MULTILINE)[0]


def test_docker_without_a_daemon_is_skipped(tmp_path: Path) -> None:
    install(tmp_path, "docker", "exit 1")
    install(tmp_path, "podman", 'printf "%s\\n" "$@"')
    answer = make_image(tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[0] == "build"
    assert answer.stdout.endswith("--network\nhost\n.\nBuilt name:tag with podman.\n")


def read_revision() -> str:
    """Returns the checkout's commit, or "unknown" outside a checkout, as in a copy of the files."""
    head = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return head.stdout.strip() or "unknown"


@pytest.mark.parametrize(
    ("python", "expected"),
    [
        ("", ("3.11", "py311.txt")),
        ("python3.11", ("3.11", "py311.txt")),
        ("/usr/bin/python3.10", ("3.10", "py310.txt")),
    ],
)
def test_python_version_chooses_base_image_and_label(
    tmp_path: Path, python: str, expected: tuple[str, str]
) -> None:
    install(tmp_path, "buildah", 'printf "%s\\n" "$@"')
    arguments = read_build_arguments(make_image(tmp_path, PYTHON=python))
    version, lock = expected
    assert arguments["PYTHON"] == version
    assert f" AS python{version}\n" in (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    assert arguments["TFX_VERSION"] == read_locked_tfx_version(lock)
    assert arguments["REVISION"].removesuffix("-dirty") == read_revision()
    assert arguments["VERSION"]


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "no working docker, podman or buildah"),
        ({"BUILDER": "kaniko"}, "no working kaniko"),
        ({"PYTHON": "python3.12"}, "no stack for Python 3.12"),
    ],
)
def test_an_impossible_build_is_refused_with_the_reason(
    tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    answer = make_image(tmp_path, **environment)
    assert answer.returncode == 2
    assert words in answer.stderr


def test_the_dockerfile_has_the_locked_tfx_version() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    assert set(re.findall(r"^ARG TFX_VERSION=(.+)$", text, re.MULTILINE)) == {
        read_locked_tfx_version("py311.txt")
    }
