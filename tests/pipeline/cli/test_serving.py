"""The command `serve`, as a process."""

import json
import shutil
from pathlib import Path

import pytest
from command_process import command
from past_summaries import leave_run
from pushed_models import ROW, push
from running_server import RunningServer

from pipeline.runners.workspace.places import Workspace

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output directory with a pushed model."""
    directory = tmp_path_factory.mktemp("runs") / "tiny"
    push(directory / "serving", "1", 0.0)
    return directory


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --config, --output or --model"),
        (("--output", "a", "--model", "b"), "give --config, --output or --model"),
        (("--output", "a", "--set", "serving.server.port=1"), "--set needs --config"),
        (("--model", "absent"), "absent: no such directory"),
        (("--model", "docs"), "docs: no model is served here yet"),
        (("--model", "docs", "--port", "70000"), "must be less than or equal to 65535"),
        (("--model", "docs", "--tls-key", "x"), "tls_certificate and tls_key belong together"),
        (("--config", "configs/taxi.yaml", "--output", "absent"), "absent/serving"),
        (("--model", "hdfs://host/models"), "is no address of an object store"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    code, text = command("serve", *arguments)
    assert (code, "Traceback" in text) == (2, False), text
    assert words in text


def test_an_output_directory_leads_to_the_directory_of_its_newest_push(tmp_path: Path) -> None:
    """As for `runs` and `versions`. Nothing is there, so no server starts."""
    output, elsewhere = tmp_path / "tiny", tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace = Workspace(output, output / "serving")
    leave_run(workspace, "20260301-040000-000000", pushed=str(elsewhere / "1"))
    code, text = command("serve", "--output", str(output))
    assert (code, f"{elsewhere}: no model is served here yet" in text) == (2, True), text


def test_an_output_directory_is_served_under_its_name(output: Path) -> None:
    with RunningServer("--output", output, "--workers", "2", "--name", "größe") as server:
        assert "Serving größe, version 1, at http://127.0.0.1:" in server.output
        assert "(2 processes)" in server.output
        answer = server.post("/v1/models/größe:predict", json={"instances": [ROW]})
        assert answer.status_code == 200


def test_a_configuration_sets_name_directory_and_limits(output: Path, tmp_path: Path) -> None:
    serving = tmp_path / "pushed"
    shutil.copytree(output / "serving", serving)
    arguments = ("--set", f"serving.directory={json.dumps(str(serving))}")
    limit = ("--set", "serving.server.max_rows=2")
    with RunningServer("--config", ROOT / "configs/taxi.yaml", *arguments, *limit) as server:
        for rows, status in ((2, 200), (3, 413)):
            answer = server.post("/v1/models/taxi:predict", json={"instances": [ROW] * rows})
            assert answer.status_code == status


def test_a_version_directory_is_served_under_the_pipelines_name(output: Path) -> None:
    with RunningServer("--model", output / "serving" / "1", "--no-access-log") as server:
        assert server.predict(ROW).status_code == 200
        assert server.get("/v1/models/tiny").json()["model_version_status"][0]["version"] == "1"
        assert "predict" not in server.output
