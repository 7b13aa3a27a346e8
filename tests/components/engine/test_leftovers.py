"""What an interrupted write left is no part of an artifact."""

from pathlib import Path

from components.engine.leftovers import sweep_leftovers


def test_only_temporary_directories_of_beam_are_removed(tmp_path: Path) -> None:
    for name in ("Split-train/beam-temp-data-1f/part", "Split-train/data-0", "beam-temp-x/a/b"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    sweep_leftovers(str(tmp_path))
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert left == {"Split-train", "Split-train/data-0"}


def test_an_artifact_without_a_directory_needs_no_sweep(tmp_path: Path) -> None:
    sweep_leftovers(str(tmp_path / "absent"))
    sweep_leftovers("gs://bucket/artifact")
