"""The command `predict`, as a process."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_process import command
from past_summaries import leave_run
from pushed_models import push
from small_config import SMALL, write

from pipeline.runners.workspace.places import Workspace


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output directory with a pushed model and the run that made it."""
    directory = tmp_path_factory.mktemp("runs") / "small"
    push(directory / "serving", "1", 0.0)
    workspace = Workspace(directory, directory / "serving")
    pushed = str(workspace.serving / "1")
    run = leave_run(workspace, "20260301-040000-000000", pushed=pushed)
    csv = 'data:\n  path: table.csv\n  csv: {delimiter: ";", missing: ["?"]}'
    write(run, SMALL.replace("data:\n  path: table.csv", csv), "config.yaml")
    return directory


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --config, --workspace or --model"),
        (("--set", "name=x"), "--set needs --config"),
        (("--model", "absent"), "absent: no such directory"),
        (("--workspace", "absent"), "absent: there is no such directory"),
        (("--config", "configs/taxi.yaml", "--workspace", "absent"), "absent/serving"),
        (("--format", "xml"), "'xml' is not one of"),
        (("--output", "http://host/out"), "http://host/out is no address of an object store"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    code, text = command("predict", *arguments)
    assert (code, "Traceback" in text) == (2, False), text
    assert words in text


def test_a_workspace_alone_tells_the_model_and_how_files_are_read(
    output: Path, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    table.write_text('größe (cm);count;payment;"a, b"\n1;?;Cash;x\n', encoding="utf-8")
    places = ("--workspace", str(output), "--input", str(table), "--output", str(tmp_path / "out"))
    code, text = command("predict", *places, "--columns", '"a, b",payment', "--json", "-")
    assert code == 0, text
    summary = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert (summary["version"], summary["rows"], summary["bad_rows"]) == ("1", 1, 0)
    predictions = pq.read_table(tmp_path / "out" / "new.csv-00000.parquet")
    assert predictions.column_names == ["a, b", "payment", "class", "probability"]
    assert predictions["probability"].to_pylist() == pytest.approx([0.11])
    assert (summary["exit_code"], summary["error"]) == (0, None)
    told = tmp_path / "summary.json"
    code, text = command("predict", *places, "--model", "2", "--json", str(told))
    assert code == 2
    assert "has no such version" in text
    summary = json.loads(told.read_text(encoding="utf-8"))
    assert summary["exit_code"] == 2
    assert summary["error"]["hint"] == "its versions are 1"
