"""The files with the metrics of all epochs."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.core.contracts import ArtifactFile
from trainer_module.fit.backup import FitState
from trainer_module.fit.history import write_history


def test_both_files_hold_the_epochs(tmp_path: Path) -> None:
    state = FitState()
    state.epochs = [{"loss": 0.7, "eval_loss": 0.5}, {"loss": 0.6, "eval_loss": 0.4}]
    folder = tmp_path / "new"
    write_history(str(folder), state, {"train_examples": 3})
    assert json.loads((folder / ArtifactFile.HISTORY).read_text()) == {
        "train_examples": 3,
        "best_epoch": 2,
        "epochs": state.epochs,
    }
    table = (folder / "history.csv").read_text()
    assert table.split() == ["epoch,loss,eval_loss", "1,0.7,0.5", "2,0.6,0.4"]
    assert len(list(folder.iterdir())) == 2
