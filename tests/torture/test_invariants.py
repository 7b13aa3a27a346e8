"""The checks of torture find what they look for."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from accidents import Chain
from invariants import _check_history, _check_model, _check_rows, _check_versions, _collect
from support import Project
from workspace import EPOCHS, row_numbers

from components.push_history.history import Push
from pipeline.core.contracts import ArtifactFile

SPLITS = {"train": 240, "eval": 80, "test": 80}


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain(Project(tmp_path))


def write_splits(chain: Chain, numbers: list[int]) -> None:
    begin = 0
    for split, count in SPLITS.items():
        part = numbers[begin : begin + count] if split != "test" else numbers[begin:]
        begin += count
        cells = pa.array([[float(n)] for n in part], pa.large_list(pa.float32()))
        for component, name in (("ExampleGen", "examples"), ("Transform", "transformed_examples")):
            write(chain, f"{component}/{name}/7/Split-{split}", {"number": cells})
    write(chain, "Evaluator/predictions/7", {"row": pa.array(range(len(part)))})


def write(chain: Chain, place: str, columns: dict[str, pa.Array]) -> None:
    directory = chain.output / "artifacts/1" / place
    directory.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), directory / "part.parquet")


def test_each_row_once_is_well(chain: Chain) -> None:
    write_splits(chain, row_numbers("empty"))
    _check_rows(chain, "empty")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda numbers: numbers[1:], "1 rows are lost"),
        (lambda numbers: [*numbers, numbers[0]], "1 rows are doubled"),
        (lambda numbers: [numbers[1], *numbers[1:]], "1 rows are lost"),
    ],
)
def test_a_lost_or_doubled_row_is_found(chain: Chain, change: Any, words: str) -> None:
    write_splits(chain, change(row_numbers("empty")))
    with pytest.raises(AssertionError, match=words):
        _check_rows(chain, "empty")


def test_a_row_without_prediction_is_found(chain: Chain) -> None:
    write_splits(chain, row_numbers("empty"))
    write(chain, "Evaluator/predictions/7", {"row": pa.array(range(79))})
    with pytest.raises(AssertionError, match="predicted rows"):
        _check_rows(chain, "empty")


def test_an_older_version_that_is_served_and_a_doubled_push_are_found(chain: Chain) -> None:
    for version in ("11", "12"):
        (chain.project.serving / version).mkdir(parents=True)
    pointer = chain.project.serving / "served.json"
    pointer.write_text(json.dumps({"version": "12"}))
    _check_versions(chain, {"versions": 2})
    with pytest.raises(AssertionError, match="2 versions"):
        _check_versions(chain, {"versions": 1})
    pointer.write_text(json.dumps({"version": "11"}))
    with pytest.raises(AssertionError, match="version 11 is served"):
        _check_versions(chain, {"versions": 2})


def test_a_version_that_is_not_in_the_history_of_pushes_is_found(chain: Chain) -> None:
    (chain.project.serving / "11").mkdir(parents=True)
    push = Push("11", "2026-01-01", "{}", "test", 80, {})
    history = chain.project.serving / ArtifactFile.PUSH_HISTORY
    history.write_text(json.dumps([dataclasses.asdict(push)]))
    _check_history(chain)
    (chain.project.serving / "12").mkdir()
    with pytest.raises(AssertionError, match=r"holds \['11'\], but"):
        _check_history(chain)


def test_another_model_is_found(chain: Chain) -> None:
    run = chain.output / "artifacts/1/Trainer/model_run/9"
    run.mkdir(parents=True)
    epochs = [{"loss": 0.5 - i / 100, "seconds": 1.0} for i in range(EPOCHS)]
    (run / "history.json").write_text(json.dumps({"epochs": epochs}))
    log = chain.output / "logs/1"
    log.mkdir(parents=True)
    (log / "summary.json").write_text(json.dumps({"metrics": {"": {"auc": 0.9}}}))
    wanted = [{"loss": epoch["loss"]} for epoch in epochs]
    _check_model(chain, {"history": wanted, "metrics": {"auc": 0.9}})
    with pytest.raises(AssertionError, match="auc"):
        _check_model(chain, {"history": wanted, "metrics": {"auc": 0.8}})
    wanted[-1] = {"loss": 0.2}
    with pytest.raises(AssertionError, match="loss"):
        _check_model(chain, {"history": wanted, "metrics": {"auc": 0.9}})


def test_one_fault_hides_no_other() -> None:
    def fail() -> None:
        raise AssertionError("gone\nand more")

    assert _collect(("a", fail), ("b", lambda: None), ("c", fail)) == ["a: gone", "c: gone"]
