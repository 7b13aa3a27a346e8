"""What people and disks do to an output directory between two runs.

What can be mended is, by doing the work again; else a clear word says what to do. Never is a
model served from mixed pieces.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from accidents import COMPONENTS, Chain, start_chain
from ml_metadata.metadata_store.metadata_store import downgrade_schema
from ml_metadata.proto import metadata_store_pb2 as mlmd
from support import with_long

from components.pusher.versions import push_version

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    chain = start_chain(tmp_path_factory.mktemp("damaged"))
    result = chain.project.run()
    assert result.code == 0, result.output
    return chain


def served(chain: Chain) -> dict[str, str]:
    record: dict[str, str] = json.loads((chain.project.serving / "served.json").read_text())
    return record


def write_older_metadata(chain: Chain) -> None:
    """By ML Metadata itself; version 6 is that of TFX 0.22."""
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(chain.output / "metadata.db")
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE
    downgrade_schema(config, 6)


def leave_push_unfinished(chain: Chain) -> None:
    """As a kill between a version and its pointer does."""
    model = Path(served(chain)["model"]) / "Format-Serving"
    push_version(str(model), {}, str(chain.project.serving))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def remove_files(directory: Path) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            path.unlink()


def remove_note(chain: Chain) -> None:
    (chain.output / ".artifacts").unlink()


def cut_version(chain: Chain) -> None:
    os.truncate(chain.project.serving / served(chain)["version"] / "saved_model.pb", 99)


def cut_evaluation(chain: Chain) -> None:
    (path,) = Path(served(chain)["evaluation"]).glob("metrics*")
    cut(path)


def remove_model_files(chain: Chain) -> None:
    remove_files(Path(served(chain)["model"]))


def remove_transform_graph(chain: Chain) -> None:
    for directory in chain.output.glob("artifacts/*/Transform/transform_graph/*"):
        shutil.rmtree(directory)


def remove_artifacts(chain: Chain) -> None:
    shutil.rmtree(chain.output / "artifacts")


def empty_metadata(chain: Chain) -> None:
    os.truncate(chain.output / "metadata.db", 0)


_LONG = {
    "an older version's metadata", "an emptied model, no graph", "no artifacts", "no note",
    "empty metadata", "half an evaluation",
}  # fmt: skip
"""Whole runs, of which others tell most."""
MENDED: dict[str, tuple[tuple[Callable[[Chain], None], ...], str | None]] = {
    "an older version's metadata": ((write_older_metadata, leave_push_unfinished), None),
    "no note": ((remove_note,), None),
    "a part of the version": ((cut_version,), "Pusher"),
    "half an evaluation": ((cut_evaluation,), "Evaluator"),
    "an emptied model, no graph": ((remove_model_files, remove_transform_graph), "Transform"),
    "no artifacts": ((remove_artifacts,), "ExampleGen"),
    "empty metadata": ((empty_metadata,), "ExampleGen"),
}


@pytest.mark.parametrize("damage", with_long(MENDED, _LONG))
def test_the_next_run_repairs_a_damaged_directory(chain: Chain, damage: str) -> None:
    damages, first = MENDED[damage]
    before = served(chain)
    for inflict in damages:
        inflict(chain)

    result = chain.project.run()

    assert result.code == 0, result.output
    done = [name for name, state in result.states().items() if state == "complete"]
    assert done[:1] == ([first] if first else [])
    assert set(result.states()) == set(COMPONENTS)
    assert {p.name for p in chain.project.serving.iterdir()} >= {served(chain)["version"]}
    # A repeated training on this machine gives the same files, which are served already.
    assert (served(chain)["version"] == before["version"]) == (first != "Pusher")
    pieces = (served(chain)[key] for key in ("model", "evaluation", "statistics", "schema"))
    assert all(any(Path(piece).iterdir()) for piece in pieces)
    chain.check_serving()
    assert not list(chain.project.serving.glob(".pending*"))


def random_bytes(path: Path) -> None:
    path.write_bytes(os.urandom(50_000))


def directory_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def newer_version(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("UPDATE MLMDEnv SET schema_version = 99")
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("metadata.db", random_bytes),
        pytest.param("metadata.db", cut, marks=pytest.mark.long),
        pytest.param("metadata.db", directory_instead, marks=pytest.mark.long),
        ("metadata.db", newer_version),
        ("serving/served.json", cut),
        ("serving/served.json", Path.unlink),
    ],
)
def test_damage_that_a_run_cannot_repair_is_refused_with_the_remedy(
    chain: Chain, name: str, damage: Callable[[Path], None]
) -> None:
    path = chain.output / name
    content = path.read_bytes()
    damage(path)

    result = chain.project.run()

    assert result.code == 2, result.output
    assert str(path) in result.output
    remedies = ("move it away", "remove the file", "`promote VERSION`")
    assert any(remedy in result.output for remedy in remedies)
    assert "Traceback" not in result.output
    if path.is_dir():
        path.rmdir()
    path.write_bytes(content)
    chain.check_serving()


def test_another_model_is_not_compared_with_a_version_that_lost_files(chain: Chain) -> None:
    before = served(chain)
    model = chain.project.serving / before["version"] / "saved_model.pb"
    content = model.read_bytes()
    cut_version(chain)

    result = chain.project.run("--set", "training.learning_rate=0.002")

    assert result.code == 2, result.output
    assert f"version {before['version']} is served, but" in result.output
    assert "`rollback`" in result.output
    assert result.states() == {}
    model.write_bytes(content)
    assert served(chain) == before
    chain.check_serving()
