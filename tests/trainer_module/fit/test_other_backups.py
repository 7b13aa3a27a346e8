"""A training that starts from the beginning says once that another training left a backup."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.events import EventReader, OtherBackupFound
from pipeline.core.ownership import TRAINING, own_backup
from trainer_module.fit.other_backups import mention_other_backups


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "out" / "backups"


@pytest.fixture
def begin(backups: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Begins a training as `run_fn` does."""
    monkeypatch.setenv(EVENTS_VARIABLE, str(tmp_path / "events.jsonl"))

    def begin(name: str) -> None:
        with own_backup(backups, name, TRAINING):
            mention_other_backups(str(backups), name)

    return begin


def leave(backups: Path, name: str) -> None:
    (backups / name).mkdir(parents=True)
    (backups / name / "checkpoint").write_text("latest")


def mentioned(tmp_path: Path) -> list[str]:
    path = tmp_path / "events.jsonl"
    events = [one.event for one in EventReader(path).read()] if path.exists() else []
    return [Path(e.directory).name for e in events if isinstance(e, OtherBackupFound)]


def test_a_backup_of_another_training_is_mentioned_once(
    backups: Path, tmp_path: Path, begin: Callable[[str], None]
) -> None:
    begin("first")
    assert mentioned(tmp_path) == []
    leave(backups, "old")
    begin("new")
    # A restarted worker, and the next training.
    begin("new")
    begin("newer")
    assert mentioned(tmp_path) == ["old"]
    leave(backups, "new")
    begin("newer")
    assert mentioned(tmp_path) == ["old", "new"]


def test_a_training_that_continues_mentions_no_other(
    backups: Path, tmp_path: Path, begin: Callable[[str], None]
) -> None:
    for name in ("old", "new"):
        leave(backups, name)
    begin("new")
    assert mentioned(tmp_path) == []


def test_neither_searches_nor_empty_directories_nor_trainings_at_work_are_mentioned(
    backups: Path, tmp_path: Path, begin: Callable[[str], None]
) -> None:
    leave(backups, "search-1")
    (backups / "empty").mkdir()
    leave(backups, "at-work")
    with own_backup(backups, "at-work", TRAINING):
        begin("new")
    assert mentioned(tmp_path) == []
