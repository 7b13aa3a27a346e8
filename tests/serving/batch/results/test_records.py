from pathlib import Path

import pytest

from serving.batch.results.bad_rows import BadRow
from serving.batch.results.records import BadCellOfPart, FinishedFile, Part, Records
from serving.batch.rows.input_files import InputFile

FILE = InputFile("/in/deep/a.csv", "deep/a.csv", "csv", "key", (0, 0))
OTHER_KEY = InputFile("/in/deep/a.csv", "deep/a.csv", "csv", "other", (0, 0))


@pytest.fixture
def records(tmp_path: Path) -> Records:
    (tmp_path / "part").write_text("four")
    return Records(str(tmp_path))


def test_a_record_is_valid_for_its_key_and_its_whole_file(records: Records) -> None:
    part = Part("part", 10, 4, (BadCellOfPart(3, "x", "no number"),))
    records.write_part(FILE, 0, part)
    assert records.read_part(FILE, 0) == part
    assert records.read_parts(FILE) == (part,)
    assert records.read_part(OTHER_KEY, 0) is None
    (records.output / "part").write_text("other")
    assert records.read_part(FILE, 0) is None


def test_the_record_of_a_file_replaces_those_of_its_parts(records: Records) -> None:
    part = Part("part", 10, 4)
    records.write_part(FILE, 0, part)
    finished = FinishedFile((part,), (BadRow(5, "x", "no"), BadRow(8, "", "ragged", lines=3)))
    records.write_file(FILE, finished)
    assert records.read_file(FILE) == finished
    assert (finished.rows, finished.bad_rows) == (10, 4)
    assert records.read_part(FILE, 0) is None


def test_a_damaged_record_counts_for_nothing(records: Records) -> None:
    records.write_file(FILE, FinishedFile((Part("part", 10, 4),)))
    (path,) = records.directory.rglob("*.json")
    path.write_text(path.read_text()[:20])
    assert records.read_file(FILE) is None
    assert [found for found, _ in records.find_others({FILE.name: FILE})] == [path]


def test_records_of_other_files_are_removed_with_their_output(records: Records) -> None:
    records.write_file(FILE, FinishedFile((Part("part", 10, 4),)))
    assert records.find_others({FILE.name: FILE}) == []
    ((path, content),) = records.find_others({FILE.name: OTHER_KEY})
    records.remove(path, content)
    assert not path.exists()
    assert not (records.output / "part").exists()
