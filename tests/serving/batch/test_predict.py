import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from batch_predictions import make_task, read_bad_rows, read_predictions, write_csv, write_many
from pushed_models import write_times

from pipeline.config import CsvConfig, DataConfig
from pipeline.core.errors import ConfigError, DataError
from serving.batch.predict import predict
from serving.batch.task import Task


def is_complete(task: Task) -> bool:
    return (Path(task.output) / "_SUCCESS").exists()


def stamps(task: Task) -> dict[str, int]:
    """The time of the last change of each file with predictions."""
    return {str(path): path.stat().st_mtime_ns for path in Path(task.output).glob("*.parquet")}


def test_rows_get_the_answers_of_the_model_in_their_order(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", "x,1.5,2,Cash", "y,,,", "z,10,7.0,Card")
    task = make_task(pushed, tmp_path)
    outcome = predict(task)
    table = read_predictions(task)
    assert table.column_names == ["id", "class", "probability"]
    assert table["id"].to_pylist() == ["x", "y", "z"]
    assert table["probability"].to_pylist() == pytest.approx([0.135, 0.7, 0.17])
    assert table["class"].to_pylist() == ["no", "yes", "no"]
    assert (outcome.rows, outcome.bad_rows, outcome.files, outcome.reused_files) == (3, 0, 1, 0)
    assert is_complete(task)
    assert read_bad_rows(task) == []


def test_csv_and_parquet_files_give_equal_predictions(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", "1,2.5,3,Cash", "2,,,Card")
    columns: dict[str, list] = {
        "größe (cm)": [2.5, None],
        "count": [3, None],
        "payment": ["Cash", "Card"],
    }
    pq.write_table(
        pa.table({"id": [3, 4], **columns, "other": [[1], []]}), tmp_path / "in/b.parquet"
    )
    task = make_task(pushed, tmp_path, format="csv", columns=("*",), prefix="p_")
    predict(task)
    lines = [path.read_text(encoding="utf-8") for path in sorted(Path(task.output).glob("*0.csv"))]
    assert lines == [
        '"id","größe (cm)","count","payment","p_class","p_probability"\n'
        '"1","2.5","3","Cash","no",0.155\n"2",,,"Card","no",0\n',
        '"id","größe (cm)","count","payment","p_class","p_probability"\n'
        '3,2.5,3,"Cash","no",0.155\n4,,,"Card","no",0\n',
    ]


def test_files_are_read_as_the_training_table_was(pushed: Path, tmp_path: Path) -> None:
    csv = CsvConfig(delimiter=";", decimal=",", thousands=".", units=("cm",), missing=("?",))
    path = write_csv(tmp_path, "a.csv")
    path.write_text("payment;id;größe (cm);count\nCash;k;1.000,5 cm;?\n", encoding="utf-8")
    task = make_task(pushed, tmp_path, data=DataConfig(path="-", csv=csv))
    predict(task)
    assert read_predictions(task)["probability"].to_pylist() == pytest.approx([10.105])


def test_times_are_read_in_the_format_of_the_model(serving: Path, tmp_path: Path) -> None:
    write_times(serving / "1", payment="day_first")
    write_csv(tmp_path, "a.csv", "x,1,2,31.08.2025", "y,1,2,2025-08-31", "z,1,2,", "w,1,2,gestern")
    days = pa.array([datetime.date(2025, 8, 31), None])
    numbers = {"größe (cm)": [1.0, 1.0], "count": [2, 2]}
    table = pa.table({"id": ["p", "q"], **numbers, "payment": days})
    pq.write_table(table, tmp_path / "in/b.parquet")
    task = make_task(serving, tmp_path, max_bad_rows="2")
    outcome = predict(task)
    assert read_predictions(task)["id"].to_pylist() == ["x", "z", "p", "q"]
    assert outcome.bad_rows == 2
    first, second = read_bad_rows(task)
    told = "is no time in the format day_first, such as 20.11.2026 14:40"
    assert first.endswith(f"""a.csv,3,payment,"'2025-08-31' {told}\"""")
    assert second.endswith(f"""a.csv,5,payment,"'gestern' {told}\"""")
    with pytest.raises(DataError, match="2 bad rows of 6, and the limit is 1"):
        predict(make_task(serving, tmp_path, max_bad_rows="1"))


def test_a_code_is_scored_only_where_the_training_table_had_it_as_a_number(
    pushed: Path, tmp_path: Path
) -> None:
    write_csv(tmp_path, "a.csv", "x,1.5,007,Cash", "y,1.5,7,Cash")
    task = make_task(pushed, tmp_path, key="id", max_bad_rows="1")
    predict(task)
    assert read_predictions(task)["id"].to_pylist() == ["y"]
    [bad] = read_bad_rows(task)
    assert "'007' is a code" in str(bad)
    task = make_task(pushed, tmp_path, data=DataConfig(path="-", types={"count": "int"}), key="id")
    assert predict(task).bad_rows == 0
    one, other = read_predictions(task)["probability"].to_pylist()
    assert one == other


def test_bad_rows_are_told_with_line_column_and_reason(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(
        tmp_path,
        "a.csv",
        '1,0,1,"two\nlines"',
        "2,many,1,Cash",
        "3,0,1,Cash,more",
        ",0,1,Cash",
        "5,0,1.5,Cash",
        "6,1e300,1,Cash",
        "7,0,5,Card",
    )
    task = make_task(pushed, tmp_path, max_bad_rows="5")
    outcome = predict(task)
    assert read_bad_rows(task) == [
        f"{path},4,größe (cm),'many' is not a number",
        f'{path},5,,"expected 4 cells, found 5"',
        f"{path},6,id,the key is missing",
        f"{path},7,count,'1.5' is not an integer of 64 bits",
        f"{path},8,größe (cm),\"'1e300' is infinite, or larger than any float of 32 bits\"",
    ]
    assert read_predictions(task)["id"].to_pylist() == ["1", "7"]
    assert (outcome.rows, outcome.bad_rows) == (2, 5)


def test_too_many_bad_rows_leave_no_complete_output(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path, "a.csv", *(f"{i},x,1,Cash" for i in range(3)), "4,0,1,Cash")
    task = make_task(pushed, tmp_path, max_bad_rows="50%")
    with pytest.raises(DataError, match=f"3 bad rows of 4, and the limit is 50 %.*{path}:2"):
        predict(task)
    assert not is_complete(task)
    assert len(read_bad_rows(task)) == 3
    at_once = make_task(pushed, tmp_path, max_bad_rows="2")
    with pytest.raises(DataError, match="the limit is 2;"):
        predict(at_once)
    assert predict(make_task(pushed, tmp_path, max_bad_rows="75%")).bad_rows == 3
    assert is_complete(task)


def test_an_open_quote_is_no_single_bad_row(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", "1,0,1,Cash", '2,"0,1,Cash', *["3,0,1,Cash"] * 300)
    task = make_task(pushed, tmp_path)
    with pytest.raises(DataError, match=r"a\.csv:3: a quote is opened in this row"):
        predict(task)


def test_a_missing_column_is_named(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path, "a.csv")
    path.write_text("id,count,paymnt\n1,2,3\n", encoding="utf-8")
    task = make_task(pushed, tmp_path)
    with pytest.raises(DataError, match="the model takes a column 'größe") as raised:
        predict(task)
    assert "1 more" in str(raised.value)
    with pytest.raises(ConfigError, match=r"--key: .* has no column 'ID'"):
        predict(make_task(pushed, tmp_path, key="ID"))


def test_a_repetition_scores_only_what_has_changed(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 100, "a.csv")
    second = write_many(tmp_path, 10, "b.csv")
    task = make_task(pushed, tmp_path, part_rows=40)
    predict(task)
    first = stamps(task)
    assert [Path(path).name for path in sorted(first)] == [
        "a.csv-00000.parquet", "a.csv-00001.parquet", "a.csv-00002.parquet", "b.csv-00000.parquet",
    ]  # fmt: skip
    again = predict(task)
    assert (again.reused_files, again.rows_per_second) == (2, None)
    assert stamps(task) == first

    (Path(task.output) / "a.csv-00001.parquet").unlink()
    second.write_text(second.read_text(encoding="utf-8") + "new,0,1,Card\n", encoding="utf-8")
    assert predict(task).reused_files == 0
    assert read_predictions(task)["id"].to_pylist() == [
        *(f"k{i}" for i in range(100)), *(f"k{i}" for i in range(10)), "new",
    ]  # fmt: skip
    # Another model makes all predictions anew.
    predict(make_task(pushed, tmp_path, part_rows=40, model=str(pushed / "2")))
    assert read_predictions(task)["probability"][0].as_py() == pytest.approx(0.3)
    assert not set(stamps(task).values()) & set(first.values())


def test_fewer_parts_and_another_format_leave_no_old_parts(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 100)
    task = make_task(pushed, tmp_path, part_rows=40)
    predict(task)
    write_many(tmp_path, 30)
    predict(make_task(pushed, tmp_path, part_rows=40, format="csv"))
    names = {path.name for path in Path(task.output).iterdir() if not path.name.startswith(".")}
    assert names == {"_SUCCESS", "manifest.json", "bad_rows.csv", "many.csv-00000.csv"}


def test_predictions_of_other_files_are_kept_unless_the_user_says_so(
    pushed: Path, tmp_path: Path
) -> None:
    write_many(tmp_path, 5, "a.csv")
    write_many(tmp_path, 7, "b.csv")
    task = make_task(pushed, tmp_path)
    predict(task)
    fields = {"inputs": (str(tmp_path / "in" / "b.csv"),)}
    with pytest.raises(ConfigError, match=r"holds predictions for 'a\.csv'"):
        predict(make_task(pushed, tmp_path, **fields))
    assert is_complete(task)
    predict(make_task(pushed, tmp_path, overwrite=True, **fields))
    assert read_predictions(task).num_rows == 7


def test_files_without_rows_have_empty_predictions(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv")
    table = pa.table(
        {"größe (cm)": pa.array([], pa.float64()), "count": [], "payment": [], "id": []}
    )
    pq.write_table(table, tmp_path / "in/b.parquet")
    task = make_task(pushed, tmp_path)
    assert predict(task).rows == 0
    table = pq.read_table(Path(task.output) / "a.csv-00000.parquet")
    assert table.schema.types == [pa.string(), pa.string(), pa.float32()]
    assert is_complete(task)


def test_the_manifest_lists_inputs_with_their_outputs(pushed: Path, tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    write_many(tmp_path, 5, "a.csv")
    write_many(tmp_path, 6, "deep/a.csv")
    task = make_task(pushed, tmp_path, inputs=(str(tmp_path / "in/**/*.csv"),))
    predict(task)
    manifest = json.loads((Path(task.output) / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["version"], manifest["rows"]) == ("1", 11)
    outputs = [file["outputs"] for file in manifest["files"]]
    assert outputs == [
        [{"path": "a.csv-00000.parquet", "rows": 5}],
        [{"path": "deep/a.csv-00000.parquet", "rows": 6}],
    ]


def test_an_output_directory_that_cannot_be_used_is_refused(pushed: Path, tmp_path: Path) -> None:
    path = write_many(tmp_path, 5)
    with pytest.raises(ConfigError, match=r"holds other files, such as 'many\.csv'"):
        predict(make_task(pushed, tmp_path, output=str(path.parent)))
    with pytest.raises(ConfigError, match=r"many\.csv is no directory"):
        predict(make_task(pushed, tmp_path, output=str(path / "out")))
    foreign = tmp_path / "mine"
    (foreign / "sub").mkdir(parents=True)
    for name in ("manifest.json", "bad_rows.csv", "_SUCCESS", "sub/.video.mp4.0123abcd.part"):
        (foreign / name).write_text(name, encoding="utf-8")
    for output, name in ((foreign, "_SUCCESS"), (pushed, "1")):
        with pytest.raises(ConfigError, match=f"holds other files, such as '{name}'"):
            predict(make_task(pushed, tmp_path, output=str(output), overwrite=True))
    assert all(path.read_text() in str(path) for path in foreign.rglob("*.*"))
    assert sorted(os.listdir(foreign)) == ["_SUCCESS", "bad_rows.csv", "manifest.json", "sub"]
    task = make_task(pushed, tmp_path)
    Path(task.output).mkdir()
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); "
        "print('locked', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, os.path.join(task.output, ".lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert other.stdout is not None
    other.stdout.readline()
    with pytest.raises(ConfigError, match="another prediction is at work"):
        predict(task)
    other.communicate()
    assert predict(task).rows == 5
