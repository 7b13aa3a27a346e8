"""Files that workers transform, and repeat after an accident. test_executor.py has whole runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_run import (
    BEAM_ARGS,
    custom_config,
    examples_artifact,
    run_transform,
    write_parquet,
    write_schema,
)

from components.transform.columns import RawColumns
from components.transform.examples import ParquetExamples
from components.transform.materialize import (
    Split,
    _list_files,
    _map_in_threads,
    _rename,
    _TransformFile,
    _Written,
)
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

_TYPES = {"word": "string", "row": "int", "label": "string"}
_MISSING = {"word": MISSING_STRING.encode(), "row": MISSING_INT}
_FEATURES = {
    "word": {"kind": "categorical", "vocabulary_size": 5},
    "row": {"kind": "numeric", "scale": "quantile"},
}
_LABEL = {"column": "label", "task": "binary", "classes": ["no", "yes"]}
_WORKERS = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]


def test_threads_keep_the_order_of_the_pieces_and_read_few_ahead() -> None:
    read: list[int] = []

    def read_pieces() -> Iterator[int]:
        for piece in range(1000):
            read.append(piece)
            yield piece

    results = _map_in_threads(lambda piece: 2 * piece, read_pieces(), threads=3)
    assert next(results) == 0
    assert len(read) == 3 + 1
    assert list(results) == [2 * piece for piece in range(1, 1000)]


def test_a_file_is_renamed_once_however_often_the_step_is_repeated(tmp_path: Path) -> None:
    staged, target = tmp_path / "staged", tmp_path / "target"
    written = _Written(str(staged), str(target))
    with pytest.raises(OSError, match="Rename operation failed"):
        _rename(written)
    staged.write_text("rows", encoding="utf-8")
    _rename(written)
    _rename(written)
    assert (target.read_text(encoding="utf-8"), staged.exists()) == ("rows", False)


@pytest.fixture(scope="module")
def transformed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with examples, a graph, and what this process transformed with it."""
    root = tmp_path_factory.mktemp("transformed")
    words = ["red", "green", "blue", None, "a", "b", "c"]
    for split, rows in (("train", range(600)), ("eval", range(600, 700))):
        for part in range(3):
            of_part = [row for row in rows if row % 3 == part]
            table = {
                "word": [words[row * row % 11 % 7] for row in of_part],
                "row": of_part,
                "label": ["yes" if row % 2 else "no" for row in of_part],
            }
            path = root / f"examples/Split-{split}/data-{part:05d}-of-00003.parquet"
            write_parquet(path, table, _TYPES)
    write_schema(root / "schema/schema.pbtxt", _TYPES)
    _run(root, root, BEAM_ARGS)
    return root


def _run(root: Path, output: Path, beam_args: list[str]) -> None:
    raw = examples_artifact(root / "examples", ["train", "eval"], parquet=True)
    if output != root:
        (output / "schema").symlink_to(root / "schema")
    run_transform(output, raw, custom_config(_FEATURES, _LABEL), beam_args)


def _read(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


@pytest.mark.long
@pytest.mark.slow
def test_worker_processes_write_the_bytes_that_one_process_writes(
    transformed: Path, tmp_path: Path
) -> None:
    _run(transformed, tmp_path, [*BEAM_ARGS, *_WORKERS, "--sdk_container_image=none"])
    files = _read(transformed / "transformed")
    assert len(files) == 6
    assert _read(tmp_path / "transformed") == files
    [words] = (transformed / "graph").rglob("vocabularies")
    [again] = (tmp_path / "graph").rglob("vocabularies")
    assert again.read_bytes() == words.read_bytes()


_KILLED_WORKER = """
import os, signal, sys
import pyarrow.parquet as pq
from components.transform.columns import RawColumns
from components.transform.examples import ParquetExamples
from components.transform.materialize import _File, _TransformFile
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

graph, staging, source, target = sys.argv[1:]
write = pq.ParquetWriter.write_table

def die(self, table):
    write(self, table)
    os.kill(os.getpid(), signal.SIGKILL)

pq.ParquetWriter.write_table = die
columns = RawColumns({"word": MISSING_STRING.encode(), "row": MISSING_INT, "label": b""})
worker = _TransformFile([ParquetExamples(columns)], graph, staging, threads=1)
worker.setup()
worker.process(_File(0, source, target))
"""


@pytest.mark.slow
def test_attempts_leave_one_file_whatever_happens_to_them(
    transformed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, staging = str(transformed / "graph/transform_fn"), tmp_path / "staging"
    results = tmp_path / "results"
    results.mkdir()
    examples = ParquetExamples(RawColumns({**_MISSING, "label": b""}))
    pattern = str(transformed / "examples/Split-train/*")
    file, *_ = _list_files(0, Split(pattern, examples, str(results / "data")))
    worker = _TransformFile([examples], graph, str(staging), threads=2)
    worker.setup()

    # An attempt is killed in the middle of its file.
    arguments = [graph, str(staging), file.source, file.target]
    killed = subprocess.run([sys.executable, "-c", _KILLED_WORKER, *arguments])
    assert killed.returncode == -signal.SIGKILL
    assert len(os.listdir(staging)) == 1

    # An attempt cannot write: it removes its file.
    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", _fail)
        with pytest.raises(OSError, match="disk"):
            worker.process(file)
    assert len(os.listdir(staging)) == 1

    # Two attempts end, and the engine keeps one of them.
    [lost], [kept] = worker.process(file), worker.process(file)
    assert lost.staged != kept.staged
    assert not os.listdir(results)
    _rename(kept)
    _rename(kept)
    assert _read(results) == {
        "data-00000-of-00003.parquet": _read(transformed / "transformed/Split-train")[
            "transformed_examples-00000-of-00003.parquet"
        ]
    }


def _fail(writer: pq.ParquetWriter, table: pa.Table) -> None:
    raise OSError("the disk is gone")
