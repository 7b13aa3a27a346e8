import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from accidents import small_disk
from batch_predictions import make_task, read_predictions, write_csv, write_many
from pushed_models import COLUMNS
from running_server import ROOT, RunningServer

from serving.batch.command import FailedPredictionError, predict
from serving.batch.task import Task

pytestmark = pytest.mark.slow

_PREDICT = (
    "import sys; from serving.batch.command import predict; from serving.batch.task import Task; "
    "predict(Task.from_json(sys.argv[1]), lambda rows, bad: None)"
)


def start(*arguments: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def wait_for_parts(task: Task, number: int, process: subprocess.Popen) -> None:
    """Waits until records of so many parts are there."""
    while len(list(Path(task.output, ".prediction").glob("*-0????.json"))) < number:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def test_the_command_predicts_what_the_server_answers(
    pushed: Path, tmp_path: Path, server: RunningServer
) -> None:
    lines = [f"k{i},{i / 8},{i},{'Cash' if i % 3 else 'Card'}" for i in range(70)]
    write_csv(tmp_path, "a.csv", *lines, "missing,,,")
    output, summary = tmp_path / "out", tmp_path / "summary.json"
    arguments = ("--model", pushed, "--input", tmp_path / "in" / "*.csv", "--output", output)
    command = start("-m", "pipeline", "predict", *map(str, arguments), "--json", str(summary))
    told, _ = command.communicate()
    assert command.returncode == 0, told
    assert "Predicted 71 rows of 1 file with version 1" in told
    assert json.loads(summary.read_text(encoding="utf-8"))["rows"] == 71
    table = pq.read_table(output / "a.csv-00000.parquet")
    assert table.column_names == ["id", "größe (cm)", "count", "payment", "class", "probability"]
    convert = {"größe (cm)": float, "count": int, "payment": str}
    rows = [
        {name: None if row[name] is None else convert[name](row[name]) for name in COLUMNS}
        for row in table.to_pylist()
    ]
    answers = server.predict(*rows).json()["predictions"]
    assert table["class"].to_pylist() == [answer["class"] for answer in answers]
    probabilities = [answer["probability"] for answer in answers]
    assert table["probability"].to_pylist() == pytest.approx(probabilities, abs=1e-7)


def test_a_killed_prediction_is_repeated_without_a_duplicate_or_a_gap(
    pushed: Path, tmp_path: Path
) -> None:
    write_many(tmp_path, 400_000)
    # Many parts take long enough to be seen, also where other tests keep all cores busy.
    task = make_task(pushed, tmp_path, part_rows=2_000)
    command = start("-c", _PREDICT, task.to_json())
    wait_for_parts(task, 3, command)
    (worker,) = psutil.Process(command.pid).children()
    command.kill()
    command.communicate()
    # The process that predicts ends with the command.
    worker.wait(30)
    output = Path(task.output)
    assert not (output / "_SUCCESS").exists()
    kept = {path: path.stat().st_mtime_ns for path in output.glob("*.parquet")}
    assert 3 <= len(kept) < 200

    command = start("-c", _PREDICT, task.to_json())
    wait_for_parts(task, len(kept) + 2, command)
    (worker,) = psutil.Process(command.pid).children()
    worker.kill()
    told, _ = command.communicate()
    assert "was ended by signal 9" in told

    shown: list[tuple[int, int]] = []
    outcome = predict(task, lambda rows, bad: shown.append((rows, bad)))
    assert outcome.rows == 400_000
    assert shown
    table = read_predictions(task)
    assert table["id"].to_pylist() == [f"k{i}" for i in range(400_000)]
    # The youngest part may be one whose record the kill prevented.
    for path in sorted(kept)[:-1]:
        assert path.stat().st_mtime_ns == kept[path]
    assert not list(output.rglob("*.part"))
    assert (output / "_SUCCESS").exists()


def test_an_interrupted_command_ends_with_130(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 400_000)
    output = tmp_path / "out"
    arguments = ("--model", pushed, "--input", tmp_path / "in" / "*", "--output", output)
    command = start("-m", "pipeline", "predict", *map(str, arguments))
    while not (output / ".lock").exists():
        assert command.poll() is None, command.communicate()
        time.sleep(0.005)
    command.send_signal(signal.SIGINT)
    told, _ = command.communicate()
    assert command.returncode == 130, told
    assert not (output / "_SUCCESS").exists()


def test_a_full_disk_is_named(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 100_000)
    with small_disk(tmp_path / "disk", 2):
        output = tmp_path / "disk" / "out"
        task = make_task(pushed, tmp_path, output=str(output), format="csv", columns=("*",))
        with pytest.raises(FailedPredictionError, match="no space left on the device") as raised:
            predict(task, lambda rows, bad: None)
        assert raised.value.exit_code == 1
        assert not (output / "_SUCCESS").exists()
        assert not list(output.glob("*.csv"))


def test_errors_of_the_process_keep_their_words_and_their_code(
    pushed: Path, tmp_path: Path
) -> None:
    write_csv(tmp_path, "a.csv", "1,x,1,Cash")
    with pytest.raises(FailedPredictionError, match="1 bad row of 1") as raised:
        predict(make_task(pushed, tmp_path), lambda rows, bad: None)
    assert raised.value.exit_code == 3
    assert "bad_rows.csv" in raised.value.hint
    with pytest.raises(FailedPredictionError, match="no file matches") as raised:
        predict(make_task(pushed, tmp_path, inputs=("nowhere/*.csv",)), lambda rows, bad: None)
    assert raised.value.exit_code == 2
