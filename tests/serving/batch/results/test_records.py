from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.core.files import staged_name
from serving.batch.results.bad_rows import BadRow
from serving.batch.results.records import BadCellOfPart, FinishedFile, Part, Records
from serving.batch.rows.input_files import InputFile

FILE = InputFile(Path("/in/deep/a.csv"), "deep/a.csv", "csv", "key", (0, 0))
OTHER_KEY = InputFile(Path("/in/deep/a.csv"), "deep/a.csv", "csv", "other", (0, 0))


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "part").write_text("four")
    return tmp_path


@pytest.fixture
def records(output: Path) -> Records:
    return Records(str(output))


def test_a_record_is_valid_for_its_key_and_its_whole_file(records: Records, output: Path) -> None:
    part = Part("part", 10, 4, (BadCellOfPart(3, "x", "no number"),))
    records.write_part(FILE, 0, part)
    assert records.read_part(FILE, 0) == part
    assert records.read_parts(FILE) == (part,)
    assert records.read_part(OTHER_KEY, 0) is None
    (output / "part").write_text("other")
    assert records.read_part(FILE, 0) is None


def test_the_record_of_a_file_replaces_those_of_its_parts(records: Records) -> None:
    part = Part("part", 10, 4)
    records.write_part(FILE, 0, part)
    finished = FinishedFile((part,), (BadRow(5, "x", "no"), BadRow(8, "", "ragged", lines=3)))
    records.write_file(FILE, finished)
    assert records.read_file(FILE) == finished
    assert (finished.rows, finished.bad_rows) == (10, 4)
    assert records.read_part(FILE, 0) is None


def test_a_damaged_record_counts_for_nothing(records: Records, output: Path) -> None:
    records.write_file(FILE, FinishedFile((Part("part", 10, 4),)))
    (path,) = (output / ".prediction").rglob("*.json")
    path.write_text(path.read_text()[:20])
    assert records.read_file(FILE) is None
    ((name, _),) = records.find_others({FILE.name: FILE})
    assert output / name == path


def test_records_of_other_files_are_removed_with_their_output(
    records: Records, output: Path
) -> None:
    records.write_file(FILE, FinishedFile((Part("part", 10, 4),)))
    assert records.find_others({FILE.name: FILE}) == []
    ((name, content),) = records.find_others({FILE.name: OTHER_KEY})
    records.remove(name, content)
    assert not (output / name).exists()
    assert not (output / "part").exists()


def test_rows_of_finished_parts_are_counted_also_behind_a_gap(records: Records) -> None:
    assert records.count_rows([FILE]) == 0
    records.write_part(FILE, 0, Part("part", 10, 4, (BadCellOfPart(3, "x", "no number"),)))
    records.write_part(FILE, 2, Part("part", 5, 4))
    records.write_part(FILE, 3, Part("lost", 7, 4))
    other = replace(FILE, name="deep/a.csv-00000")
    records.write_part(other, 0, Part("part", 100, 4))
    assert records.count_rows([FILE]) == 16
    assert records.count_rows([OTHER_KEY]) == 0


def test_only_unfinished_files_of_a_prediction_are_removed(records: Records, output: Path) -> None:
    own = ["deep/a.csv-00000.parquet", "manifest.json", "bad_rows.csv", ".prediction/x.csv.json"]
    others = ["sub/video.mp4", "notes-1.csv"]
    staged = [output / Path(name).parent / staged_name(Path(name).name) for name in own]
    kept = [output / Path(name).parent / staged_name(Path(name).name) for name in others]
    for path in (*staged, *kept):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    records.sweep_staged()
    assert [path.name for path in staged if path.exists()] == []
    assert [path.name for path in kept if not path.exists()] == []
