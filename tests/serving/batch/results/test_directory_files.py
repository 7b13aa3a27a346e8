"""What only a directory can hold; `test_output_files.py` tests the rest."""

from pathlib import Path

from pipeline.core.files import staged_name
from serving.batch.results.directory_files import DirectoryFiles


def test_only_staged_files_with_the_right_names_are_swept(tmp_path: Path) -> None:
    own, other = (tmp_path / staged_name(name) for name in ("own", "other"))
    for path in (own, other, tmp_path / "own"):
        path.touch()
    DirectoryFiles(str(tmp_path)).sweep_staged(lambda name: "own" in name)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([other.name, "own"])
