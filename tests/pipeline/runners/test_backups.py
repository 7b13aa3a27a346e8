"""A published training needs its backup no more; an abandoned one may be taken up again."""

import json
import os
from pathlib import Path

from pipeline.runners.backups import backup_of, sweep_backups


def test_the_published_one_goes_and_the_newest_of_the_others_stay(tmp_path: Path) -> None:
    backups, model_run = tmp_path / "backups", tmp_path / "model_run"
    for age, name in enumerate(["published", "search-1", "c", "d", "a", "b"]):
        (backups / name).mkdir(parents=True)
        os.utime(backups / name, (1000 - age, 1000 - age))
    model_run.mkdir()
    (model_run / "history.json").write_text(json.dumps({"backup": "published"}))
    sweep_backups(backups, [backup_of(model_run), "search-1"])
    assert sorted(p.name for p in backups.iterdir()) == ["a", "c", "d"]


def test_there_may_be_none(tmp_path: Path) -> None:
    sweep_backups(tmp_path / "absent", ["gone"])
