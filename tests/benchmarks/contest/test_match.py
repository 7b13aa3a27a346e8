"""A finished match is kept, and not mixed with matches of other settings."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.contest.catalogue import QUICK
from benchmarks.contest.match import OtherSettingsError, Plan, play_match


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Returns a directory with a finished match of seed 1."""
    place = tmp_path / QUICK.name
    place.mkdir()
    (place / "1.json").write_text(json.dumps({"set": ["training.epochs=2"], "task": "multiclass"}))
    np.savez(place / "1.npz", labels=np.array([0, 2]), ours=np.eye(3)[:2], LightGBM=np.eye(3)[1:])
    return tmp_path


def test_a_finished_match_is_read_and_not_played_again(kept: Path) -> None:
    match = play_match(QUICK, 1, kept, Plan(["training.epochs=2"]))
    assert match.facts["task"] == "multiclass"
    assert match.labels.tolist() == [0, 2]
    assert {name: answers.shape for name, answers in match.answers.items()} == {
        "ours": (2, 3),
        "LightGBM": (2, 3),
    }


@pytest.mark.parametrize("content", [{"set": []}, {"task": "binary"}])
def test_a_match_of_other_settings_or_of_an_earlier_version_is_refused(
    content: dict[str, object], kept: Path
) -> None:
    (kept / QUICK.name / "1.json").write_text(json.dumps(content))
    with pytest.raises(OtherSettingsError, match=r"1\.json has --set"):
        play_match(QUICK, 1, kept, Plan(["training.epochs=2"]))
