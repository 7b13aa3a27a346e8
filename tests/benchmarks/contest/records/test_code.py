"""The name of the measured code."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.contest.records.code import UNKNOWN, describe_code


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Returns a repository with one commit of code."""
    run(tmp_path, "init", "--quiet")
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline/run.py").write_text("run()\n")
    commit(tmp_path)
    return tmp_path


def run(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(root), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path) -> None:
    run(root, "add", "--all")
    run(root, "commit", "--quiet", "--message", "some")


def test_the_code_is_the_last_commit_that_can_change_a_result(root: Path) -> None:
    first = run(root, "log", "-1", "--format=%h", "--abbrev=8")
    assert describe_code(root) == first
    (root / "docs").mkdir()
    (root / "docs/quality.md").write_text("results\n")
    commit(root)
    assert describe_code(root) == first
    (root / "pipeline/run.py").write_text("run(2)\n")
    commit(root)
    assert describe_code(root) != first


@pytest.mark.parametrize("path", ["pipeline/run.py", "pipeline/new.py"])
def test_uncommitted_changes_and_files_make_it_another_code(path: str, root: Path) -> None:
    clean = describe_code(root)
    names = []
    for text in ("one\n", "two\n"):
        (root / path).write_text(text)
        names.append(describe_code(root))
    assert names[0] != names[1]
    assert all(name.startswith(f"{clean}+") for name in names)
    (root / "notes.txt").write_text("no code\n")
    assert describe_code(root) == names[1]


def test_without_git_the_code_is_unknown(tmp_path: Path) -> None:
    assert describe_code(tmp_path / "nowhere") == UNKNOWN
