"""Each measurement names its commit and its machine."""

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.measuring import machine
from benchmarks.measuring.machine import collect_machine, describe_machine, read_commit


def test_the_sentence_has_commit_cores_and_memory() -> None:
    facts = collect_machine()
    sentence = describe_machine(facts)
    assert re.fullmatch(
        r"Commit \S+, \d+ cores \(\w+\), \d+ GB of memory, Python [\d.]+\.", sentence
    )


def test_a_changed_file_is_told_and_a_directory_without_git_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert read_commit() == "unknown"
    file = tmp_path / "file"
    file.write_text("before")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (["init", "-q"], ["add", "file"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    clean = read_commit()
    file.write_text("after")
    assert read_commit() == f"{clean}-dirty"
