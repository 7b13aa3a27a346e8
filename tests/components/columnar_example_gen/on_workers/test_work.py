"""What workers find in parts survives as JSON, and merges in any order."""

from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.on_workers.work import (
    CollectTypes,
    CountStrayText,
    SurveyTimes,
    WriteShards,
)
from components.columnar_example_gen.parts import Part
from components.columnar_example_gen.shards import UNFINISHED, prepare_directory
from components.columnar_example_gen.times.boundaries import TimeQuestion
from components.tables.splitting.splits import RowSplitter
from components.tables.typed_table import TypedTable
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.contracts import Split

LABEL = LabelConfig(column="y", task="binary", classes=("0", "1"))


@pytest.fixture
def parts(write) -> list[Part]:
    texts = ("1,0\n2,1\n", "2.5,0\nx,1\n", "3,1\n1\n")
    return [Part(n, (write(f"{n}.csv", f"n,y\n{text}"),)) for n, text in enumerate(texts)]


def find(work: Any, parts: list[Part]) -> Any:
    findings = [work.kind.validate_json(work.kind.dump_json(work.examine(p))) for p in parts]
    assert [refusal and refusal.message for _, refusal in findings] == [
        None, None, f"{parts[2].sources[0]}:3: expected 2 cells, found 1"
    ]  # fmt: skip
    found = [each for each, _ in findings]
    return reduce(work.merge, found), reduce(work.merge, found[::-1])


def test_counts_types_and_times_merge_in_any_order(parts):
    data = DataConfig(path=("t",))
    for work in (CountStrayText(data, ("n",)), CollectTypes(data, ("n",))):
        forwards, backwards = find(work, parts)
        assert forwards == backwards
    assert backwards.conclude() == {"n": "string"}
    table = TypedTable((), data, {}, {"n": "string", "y": "int"})
    forwards, backwards = find(SurveyTimes(table, TimeQuestion("y", "y", (0,))), parts)
    for survey in (forwards, backwards):
        assert survey.cells[0].starts.tolist() == [0, 1]
        assert survey.cells[0].rows.tolist() == [2, 2]


def write_shards(directory: Path) -> WriteShards:
    data = DataConfig(path=("t",))
    directories = {name: directory / name for name in Split.ALL}
    for each in directories.values():
        prepare_directory(each)
    table = TypedTable((), data, {"y": "string"}, {"n": "int"})
    config = IngestConfig(data, LABEL, {"y": "string"})
    return WriteShards(table, RowSplitter(data.split, "y"), config, directories, False, True)


def test_the_labels_of_a_part_and_its_refusal_are_told(tmp_path: Path, parts, write) -> None:
    work = write_shards(tmp_path)
    part = Part(4, (write("labels.csv", "n,y\n1,0\n2,1\n3,perhaps\n4,1\n"),))
    written, refusal = work.examine(part)
    assert refusal is None
    assert (written[4].labels.rows, written[4].labels.unknown) == (4, {"perhaps": 1})
    _, refusal = work.examine(parts[2])
    assert refusal is not None
    assert (refusal.part, refusal.kind) == (2, "data")


def test_two_attempts_at_a_part_never_share_a_shard(tmp_path: Path, parts):
    work = write_shards(tmp_path)
    names = []
    for _ in range(2):
        written, refusal = work.examine(parts[0])
        assert refusal is None
        assert written[0].digests[0].size == parts[0].sources[0].stat().st_size
        names += [name for shards, _ in written[0].shards.values() for name in shards]
    assert len(set(names)) == len(names)
    left = [path for d in work.directories.values() for path in (d / UNFINISHED).iterdir()]
    assert sorted(path.name for path in left) == sorted(names)
