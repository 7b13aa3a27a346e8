"""Published backups are removed; the newest unpublished backups stay."""

import json
import os
from pathlib import Path

import pytest

from pipeline.core.ownership import TRAINING, own_backup
from pipeline.runners.workspace.backups import (
    list_published,
    mark_published,
    read_backup_name,
    sweep_backups,
)


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    path = tmp_path / "backups"
    path.mkdir()
    return path


def test_published_and_old_backups_are_removed_and_the_newest_three_stay(tmp_path: Path) -> None:
    backups, model_run = tmp_path / "backups", tmp_path / "model_run"
    for age, name in enumerate(["published", "search-1", "c", "d", "a", "b"]):
        (backups / name).mkdir(parents=True)
        os.utime(backups / name, (1000 - age, 1000 - age))
    model_run.mkdir()
    (model_run / "history.json").write_text(json.dumps({"backup": "published"}))
    sweep_backups(backups, [read_backup_name(model_run), "search-1"])
    assert sorted(p.name for p in backups.iterdir()) == ["a", "c", "d"]


def test_a_backup_that_changed_in_the_last_day_stays(backups: Path) -> None:
    """The trials of a search write far below the directory of its backup."""
    for number in range(6):
        (backups / f"training-{number}").mkdir()
    (backups / "search" / "trial").mkdir(parents=True)
    for path in (backups / "search", backups / "training-0"):
        os.utime(path, (1000, 1000))
    sweep_backups(backups, ["published"])
    assert sorted(p.name for p in backups.iterdir()) == [
        "search", *(f"training-{number}" for number in range(1, 6))
    ]  # fmt: skip


def test_a_marked_backup_stays_until_the_next_sweep(backups: Path) -> None:
    for name in ("one", "two"):
        (backups / name).mkdir()
    mark_published(backups, "one")
    mark_published(backups, "one")
    assert sorted(p.name for p in backups.iterdir()) == ["one", "two"]
    sweep_backups(backups, list_published(backups))
    assert [p.name for p in backups.iterdir()] == ["two"]


def test_a_sweep_needs_no_backups(tmp_path: Path) -> None:
    sweep_backups(tmp_path / "absent", [*list_published(tmp_path / "absent"), "gone"])


def test_a_backup_that_another_run_owns_stays(backups: Path) -> None:
    """A second run of the same training goes on from the published backup of the first."""
    for name in ("owned", "free"):
        mark_published(backups, name)
    with own_backup(backups, "owned", TRAINING):
        sweep_backups(backups, list_published(backups))
        assert [p.name for p in backups.iterdir()] == ["owned"]
    sweep_backups(backups, list_published(backups))
    assert not list(backups.iterdir())
