"""Two SavedModels are one model if their files are equal, wherever they lie."""

import os
from pathlib import Path

import pytest

from components.served_model.same_model import is_same_saved_model
from pipeline.core.contracts import EXPORTS_DIRECTORY


def write_model(directory: Path, **files: str) -> str:
    """Writes a model of two files, and the other files by their paths."""
    for path, text in {"saved_model.pb": "graph", "variables/data": "weights", **files}.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
    return str(directory)


def test_a_model_is_the_same_at_another_path_and_with_exports(tmp_path: Path) -> None:
    one = write_model(tmp_path / "one", **{"fingerprint.pb": "random id"})
    other = write_model(tmp_path / "other", **{f"{EXPORTS_DIRECTORY}/model.onnx": "onnx"})
    assert is_same_saved_model(one, other, same_key=False)


@pytest.mark.parametrize("same_key", [False, True])
@pytest.mark.parametrize(
    "files",
    [{"variables/data": "WEIGHTS"}, {"assets/vocabulary": "a"}, {"assets.extra/times": "a"}],
)
def test_a_model_with_other_files_is_another_model(
    tmp_path: Path, files: dict[str, str], same_key: bool
) -> None:
    one, other = write_model(tmp_path / "one"), write_model(tmp_path / "other", **files)
    assert not is_same_saved_model(one, other, same_key=same_key)
    assert not is_same_saved_model(other, one, same_key=same_key)


def test_files_of_one_size_and_one_time_may_differ(tmp_path: Path) -> None:
    """Copies may keep the times of their files, and weights have one size in each training."""
    one = write_model(tmp_path / "one")
    other = write_model(tmp_path / "other", **{"variables/data": "WEIGHTS"})
    for model in (one, other):
        os.utime(Path(model, "variables/data"), (1, 1))
    assert not is_same_saved_model(one, other, same_key=True)


@pytest.mark.parametrize("same_key", [False, True])
def test_another_graph_is_another_model_unless_the_keys_are_equal(
    tmp_path: Path, same_key: bool
) -> None:
    """TensorFlow numbers the functions of an equal graph anew in each process."""
    one = write_model(tmp_path / "one")
    other = write_model(tmp_path / "other", **{"saved_model.pb": "GRAPH"})
    assert is_same_saved_model(one, other, same_key=same_key) == same_key


def test_models_that_are_gone_are_not_the_same(tmp_path: Path) -> None:
    one = write_model(tmp_path / "one")
    gone = str(tmp_path / "gone")
    assert not is_same_saved_model(one, gone, same_key=True)
    assert not is_same_saved_model(gone, gone, same_key=True)
