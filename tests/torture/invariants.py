"""What must hold after an accident, and after the run that follows it."""

import contextlib
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from accidents import Chain
from ml_metadata.proto import metadata_store_pb2 as mlmd
from support import Project, digest_tree
from workspace import EPOCHS, row_numbers, run_command

from components.push_history.history import read_pushes

_TOLERANCE = 1e-3
"""A training that continues from a backup sums in another order: the last bits differ."""
_SPLITS = ("train", "eval", "test")


def check_accident(chain: Chain) -> list[str]:
    """Returns what is wrong right after the accident: nothing published may be harmed."""
    return _collect(
        ("pointer", chain.check_serving),
        ("artifacts", lambda: _check_published(chain)),
        ("commands", lambda: _check_commands(chain)),
    )


def check_calm_run(chain: Chain, start: str, expected: Mapping[str, Any]) -> list[str]:
    """Returns what is wrong after the next run.

    `expected` are the measures of a run to which nothing happened: see `measure`.
    """
    return _collect(
        ("pointer", chain.check_serving),
        ("artifacts", chain.check_artifacts),
        ("metadata", chain.check_order),
        ("rows", lambda: _check_rows(chain, start)),
        ("versions", lambda: _check_versions(chain, expected)),
        ("history of pushes", lambda: _check_history(chain)),
        ("model", lambda: _check_model(chain, expected)),
        ("backups", lambda: _check_backups(chain)),
        ("commands", lambda: _check_commands(chain)),
    )


def measure(chain: Chain) -> dict[str, Any]:
    """Returns the measures of the newest run that an undisturbed run would repeat."""
    return {
        "metrics": _newest_summary(chain)["metrics"][""],
        "history": _newest_history(chain),
        "versions": len(_list_versions(chain)),
    }


def _collect(*checks: tuple[str, Callable[[], object]]) -> list[str]:
    """Runs all checks, and says what failed: the first fault hides no other one."""
    faults = []
    for name, check in checks:
        try:
            check()
        except Exception as error:
            message = str(error).strip().splitlines()
            faults.append(f"{name}: {message[0] if message else type(error).__name__}")
    return faults


def _check_published(chain: Chain) -> None:
    """No file of a published artifact has changed, and the metadata can be read.

    A kill may leave a transaction that the next writer has to roll back. A copy leaves this work
    to the next run.
    """
    copy = chain.project.directory / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for path in chain.output.glob("metadata.db*"):
        shutil.copy2(path, copy)
    with contextlib.closing(sqlite3.connect(copy / "metadata.db")) as database:
        (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
        assert verdict == "ok", verdict
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'Artifact'").fetchone():
            return
    for artifact in Project(copy, output=".").store().get_artifacts():
        if artifact.state == mlmd.Artifact.LIVE:
            found = digest_tree(Path(artifact.uri))
            assert chain.digests.setdefault(artifact.id, found) == found, artifact.uri


def _check_rows(chain: Chain, start: str) -> None:
    """Each row of the table is in one split, once, and every later step has as many."""
    found = {split: _read_numbers(chain, split) for split in _SPLITS}
    counts = Counter(number for numbers in found.values() for number in numbers)
    lost, doubled = set(row_numbers(start)) - {*counts}, [n for n, c in counts.items() if c > 1]
    assert not lost, f"{len(lost)} rows are lost"
    assert not doubled, f"{len(doubled)} rows are doubled"
    transformed = {split: len(_read(chain, "Transform", split)) for split in ("train", "eval")}
    assert transformed == {split: len(found[split]) for split in transformed}, transformed
    predicted = pq.read_table(_newest(chain, "Evaluator", "predictions"), columns=["row"])
    assert sorted(predicted["row"].to_pylist()) == [*range(len(found["test"]))], "predicted rows"


def _read_numbers(chain: Chain, split: str) -> list[int]:
    column = _read(chain, "ExampleGen", split)["number"]
    return [int(cell[0]) for cell in column.to_pylist()]


def _read(chain: Chain, component: str, split: str) -> Any:
    name = {"ExampleGen": "examples", "Transform": "transformed_examples"}[component]
    return pq.read_table(_newest(chain, component, name) / f"Split-{split}")


def _newest(chain: Chain, component: str, output: str) -> Path:
    found = (chain.output / "artifacts").glob(f"*/{component}/{output}/*")
    return max(found, key=lambda path: int(path.name))


def _check_versions(chain: Chain, expected: Mapping[str, Any]) -> None:
    versions = _list_versions(chain)
    served = json.loads((chain.project.serving / "served.json").read_text())["version"]
    assert served == versions[-1], f"version {served} is served, of {versions}"
    assert len(versions) == expected["versions"], f"{len(versions)} versions"


def _check_history(chain: Chain) -> None:
    noted = [push.version for push in read_pushes(str(chain.project.serving))]
    versions = _list_versions(chain)
    assert noted == versions, f"holds {noted}, but the versions are {versions}"


def _list_versions(chain: Chain) -> list[str]:
    names = (path.name for path in chain.project.serving.iterdir() if path.name.isdigit())
    return sorted(names, key=int)


def _check_model(chain: Chain, expected: Mapping[str, Any]) -> None:
    """The model and its metrics are those of a run to which nothing happened."""
    epochs = _newest_history(chain)
    assert len(epochs) == EPOCHS, f"{len(epochs)} epochs"
    for found, wanted in zip(epochs, expected["history"]):
        _check_close(found, wanted)
    _check_close(_newest_summary(chain)["metrics"][""], expected["metrics"])


def _check_close(found: Mapping[str, float], wanted: Mapping[str, float]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in found.items():
        distance = abs(value - wanted[name])
        assert distance <= _TOLERANCE * max(1, abs(value)), f"{name} {value}, not {wanted[name]}"


def _newest_history(chain: Chain) -> list[dict[str, float]]:
    path = max(
        chain.output.glob("artifacts/*/Trainer/model_run/*/history.json"),
        key=lambda path: int(path.parent.name),
    )
    epochs = json.loads(path.read_text())["epochs"]
    return [{k: v for k, v in epoch.items() if k != "seconds"} for epoch in epochs]


def _newest_summary(chain: Chain) -> Any:
    """Returns the summary that was written last: a clock that jumped spoils the names' order."""
    paths = chain.output.glob("logs/*/summary.json")
    return json.loads(max(paths, key=lambda path: path.stat().st_mtime).read_text())


def _check_backups(chain: Chain) -> None:
    left = [path.name for path in (chain.output / "backups").iterdir()]
    assert not left, left


def _check_commands(chain: Chain) -> None:
    """The commands that read a workspace understand what the accident left."""
    for command in ("runs", "versions"):
        ended = run_command(chain, command, "--output", str(chain.output))
        assert ended.code == 0, f"{command}: {ended.output.strip()[-300:]}"
