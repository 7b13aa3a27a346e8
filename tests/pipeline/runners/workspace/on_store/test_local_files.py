"""Which files of a working copy belong on the store."""

from __future__ import annotations

from pathlib import Path

from pipeline.runners.workspace.on_store.local_files import list_files, list_files_of, list_units


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_locks_staged_files_and_the_serving_directory_stay_here(tmp_path: Path) -> None:
    kept = {
        "metadata.db", ".artifacts", "report.html", "compare-a-b.json", "logs/1/run.log",
        "backups/x/checkpoint",
    }  # fmt: skip
    write(tmp_path, *kept)
    write(
        tmp_path, ".lock", "metadata.db-journal", ".report.html.0a1b.part", "locks/x.lock",
        "serving-copy/served.json", ".store/base.json", "logs/.removed-1/run.log",
        "logs/1/.summary.json.0a1b.part", "artifacts/a/Trainer/model/1/x",
    )  # fmt: skip
    assert list_files(tmp_path) == kept


def test_the_directories_of_artifacts_are_found_without_those_of_tfx(tmp_path: Path) -> None:
    write(tmp_path, "artifacts/a/Trainer/model/1/deep/x", "artifacts/a/Trainer/.system/k/1/y")
    (tmp_path / "artifacts/a/Trainer/empty/2").mkdir(parents=True)
    model = "artifacts/a/Trainer/model/1"
    assert list_units(tmp_path) == {model, "artifacts/a/Trainer/empty/2"}
    assert list_files_of(tmp_path, model) == {f"{model}/deep/x"}
