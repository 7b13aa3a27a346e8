"""Whose an output directory is; `test_predict.py` tests two predictions and foreign files."""

from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from serving.batch.results.output_directory import check_output, own_output


@pytest.mark.parametrize("names", [[], [".lock"], [".lock", "bad_rows.csv"], ["lost+found"]])
def test_a_directory_that_no_other_uses_is_taken(names: list[str], tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).touch()
    with own_output(str(tmp_path)):
        pass
    (tmp_path / "any.parquet").touch()
    with own_output(str(tmp_path)):
        pass


@pytest.mark.parametrize("names", [["bad_rows.csv"], [".lock", "served.json"]])
def test_a_directory_with_other_files_is_refused_untouched(
    names: list[str], tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).touch()
    words = f"holds other files, such as '{names[-1]}'"
    with pytest.raises(ConfigError, match=words), own_output(str(tmp_path)):
        raise AssertionError("taken")
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("output", ["file", "file/below"])
def test_a_file_in_place_of_the_directory_is_refused(output: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=f"{tmp_path / output}: {tmp_path}/file is no directory"):
        check_output(str(tmp_path / output), "--output")


def test_a_check_names_the_setting_and_makes_nothing(tmp_path: Path) -> None:
    check_output(str(tmp_path / "new"), "prediction.output")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ConfigError, match=r"^prediction\.output .*, such as 'mine\.txt'"):
        check_output(str(tmp_path), "prediction.output")
