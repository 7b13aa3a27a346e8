"""A published training needs its backup no more; an abandoned one may be taken up again."""

import json
import os
from pathlib import Path

from pipeline.runners.workspace.backups import backup_of, mark_published, marked, sweep_backups


def test_the_published_one_goes_and_the_newest_of_the_others_stay(tmp_path: Path) -> None:
    backups, model_run = tmp_path / "backups", tmp_path / "model_run"
    for age, name in enumerate(["published", "search-1", "c", "d", "a", "b"]):
        (backups / name).mkdir(parents=True)
        os.utime(backups / name, (1000 - age, 1000 - age))
    model_run.mkdir()
    (model_run / "history.json").write_text(json.dumps({"backup": "published"}))
    sweep_backups(backups, [backup_of(model_run), "search-1"])
    assert sorted(p.name for p in backups.iterdir()) == ["a", "c", "d"]


def test_what_may_be_of_a_training_at_work_stays(tmp_path: Path) -> None:
    """Also of one that writes far below, as the trials of a search do."""
    for number in range(6):
        (tmp_path / f"training-{number}").mkdir()
    (tmp_path / "search" / "trial").mkdir(parents=True)
    for path in (tmp_path / "search", tmp_path / "training-0"):
        os.utime(path, (1000, 1000))
    sweep_backups(tmp_path, ["published"])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "search", *(f"training-{number}" for number in range(1, 6))
    ]  # fmt: skip


def test_what_is_marked_stays_until_it_is_swept(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    mark_published(tmp_path, "one")
    mark_published(tmp_path, "one")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one", "two"]
    sweep_backups(tmp_path, marked(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["two"]


def test_there_may_be_none(tmp_path: Path) -> None:
    sweep_backups(tmp_path / "absent", [*marked(tmp_path / "absent"), "gone"])
