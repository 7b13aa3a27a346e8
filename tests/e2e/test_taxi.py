"""`make run-local` on the sample: a first run, an unchanged run, and runs with one change each."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support import (
    ROOT,
    Project,
    Result,
    copy_checkout,
    digest_tree,
    readme_commands,
    shop_table,
    write_csv,
)

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from components.run_figures.figures_file import read_figures
from pipeline.config import load_config

pytestmark = pytest.mark.slow

NODES = [
    "ExampleGen", "Reference", "StatisticsGen", "SchemaGen", "SchemaCurator", "ExampleValidator",
    "AnomalyReport", "DataFigures", "AnomalyGate", "Transform", "Trainer", "Baseline", "Evaluator",
    "ModelFigures", "ServingCheck", "Pusher",
]  # fmt: skip
FROM_TRAINER = {"Trainer", "Baseline", "Evaluator", "ModelFigures", "ServingCheck", "Pusher"}
FROM_TRANSFORM = FROM_TRAINER | {"Transform"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Returns a copy of the project whose code the tests can edit."""
    directory = tmp_path_factory.mktemp("checkout")
    copy_checkout(directory)
    return Project(directory, code=directory, output="runs/taxi")


@pytest.fixture(scope="module")
def first(checkout: Project) -> Result:
    [command] = [c for c in readme_commands() if c == "make run-local"]
    return checkout.shell(command)


def test_the_pushed_model_answers_the_curl_line_of_the_readme(
    checkout: Project, first: Result
) -> None:
    assert first.code == 0, first.output
    assert "make serve" in readme_commands()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [curl] = re.findall(r"^curl .*$", readme, re.MULTILINE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["make", "serve", f"ARGUMENTS=--port {port}"],
        cwd=checkout.directory,
        start_new_session=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert any(f"at http://127.0.0.1:{port}" in line for line in server.stdout)
        answer = checkout.shell(curl.replace("8501", str(port)).replace("curl ", "curl -sS ", 1))
        [prediction] = json.loads(answer.output)["predictions"]
        assert prediction["class"] in ("0", "1")
        assert 0 < prediction["probability"] < 1
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.communicate()


def test_the_predict_line_of_the_readme_scores_the_sample(checkout: Project, first: Result) -> None:
    assert first.code == 0, first.output
    [command] = [c for c in readme_commands() if " predict " in c]
    result = checkout.shell(command)
    assert result.code == 0, result.output
    scored = checkout.directory / "runs" / "taxi" / "scored"
    assert (scored / "_SUCCESS").exists()
    table = pq.read_table(scored / "sample.csv-00000.parquet").to_pandas()
    assert len(table) == 15000
    assert (table["class"] == table["big_tipper"]).mean() > 0.8
    assert ((table["probability"] >= 0.5) == (table["class"] == "1")).all()


def run(checkout: Project, *arguments: str) -> Result:
    return checkout.run(*arguments, config="configs/taxi.yaml")


def executed(result: Result) -> set[str]:
    assert list(result.states()) == NODES, result.output
    assert set(result.states().values()) <= {"complete", "cached"}
    return {name for name, state in result.states().items() if state == "complete"}


def test_a_first_run_pushes_a_model(checkout: Project, first: Result) -> None:
    assert first.code == 0, first.output
    assert executed(first) == set(NODES)
    assert first.summary["status"] == "pushed"
    assert first.summary["blessed"] is True
    assert Path(first.summary["pushed"]).parent == checkout.serving
    assert first.summary["metrics"][""]["auc"] > 0.85
    assert any(name.startswith("payment_type=") for name in first.summary["metrics"])
    rows = first.summary["components"][0]["rows"]
    assert sum(rows.values()) == 15000
    assert set(rows) == {"train", "eval", "test"}
    for words in ("ExampleGen", "Trainer", "auc", "at least 0.8", "Pushed:"):
        assert words in first.output


def test_every_figure_of_a_run_can_be_made(checkout: Project, first: Result) -> None:
    data = read_figures(checkout.find_output("DataFigures", "data_figures.json"), DataFigures)
    model = read_figures(checkout.find_output("ModelFigures", "model_figures.json"), ModelFigures)
    assert data.notes == model.notes == ()
    assert data.rows == first.summary["components"][0]["rows"]
    assert len(data.columns) == 19
    assert data.associations is not None
    auc = next(metric for metric in model.metrics if metric.name == "auc")
    assert auc.candidate.value == pytest.approx(first.summary["metrics"][""]["auc"])
    assert model.importance[0].column == "payment_type"
    assert len({dependence.column for dependence in model.dependence}) == 10
    assert {s.name for s in model.slices} == set(first.summary["metrics"]) - {""}


def test_a_first_run_has_a_page(checkout: Project, first: Result) -> None:
    # A `make` inside another `make` prints a line of its own after the run's last line.
    lines = [line for line in first.output.splitlines() if not line.startswith("make[")]
    assert lines[-1] == "Report: runs/taxi/report.html"
    page = Path(first.summary["report"])
    assert page.read_bytes() == (checkout.directory / "runs/taxi/report.html").read_bytes()
    report = first.report()
    assert report["verdict"]["exit_code"] == 0
    assert [component["name"] for component in report["components"]] == NODES
    assert report["data"]["figures"]["notes"] == []
    assert report["quality"]["figures"]["notes"] == []
    assert len(report["data"]["figures"]["columns"]) > 15
    assert report["training"]["cached_from"] is None
    assert 1 < len(report["training"]["epochs"]) <= report["training"]["planned_epochs"]
    assert report["lineage"]["data_files"][0]["path"] == "data/chicago_taxi/sample.csv"


def test_the_page_of_a_run_repeats_the_run(checkout: Project, first: Result) -> None:
    repeated = checkout.shell(first.report()["lineage"]["command"])
    assert repeated.code == 0, repeated.output
    assert executed(repeated) == set()


def test_the_terminal_shows_no_log_messages_of_libraries(checkout: Project, first: Result) -> None:
    assert "WARNING" not in first.output
    assert "tensorflow" not in first.output.lower().replace("starting tensorflow ...", "")
    log = Path(first.summary["log"])
    assert log.is_relative_to(checkout.directory)
    assert log.stat().st_size > 0


def test_an_unchanged_second_run_starts_no_executor(checkout: Project, first: Result) -> None:
    served, artifacts = digest_tree(checkout.serving), checkout.live_artifacts()
    files = digest_tree(checkout.directory / "runs/taxi/artifacts")
    second = run(checkout)
    assert second.code == 0, second.output
    assert executed(second) == set()
    assert digest_tree(checkout.serving) == served
    assert checkout.live_artifacts() == artifacts
    assert digest_tree(checkout.directory / "runs/taxi/artifacts") == files
    assert second.summary["metrics"] == first.summary["metrics"]
    training = second.report()["training"]
    assert training["cached_from"] == first.summary["run"]
    assert training["epochs"] == first.report()["training"]["epochs"]
    assert second.report()["quality"] == first.report()["quality"]
    # Touched, but not changed.
    (checkout.directory / "data/chicago_taxi/sample.csv").touch()
    assert executed(run(checkout)) == set()


def test_a_process_without_this_project_serves_the_model(first: Result) -> None:
    client = Path(__file__).with_name("serving_client.py")
    answer = subprocess.run(
        [sys.executable, "-I", str(client), first.summary["pushed"]],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    by_name, by_example = json.loads(answer.stdout.splitlines()[-1])
    assert by_name == pytest.approx(by_example)
    assert all(0 < p < 1 for p in by_name)


def test_the_python_of_the_readme_asks_the_model(first: Result) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    features = load_config([ROOT / "configs/taxi.yaml"]).features
    numbers = ("numeric", "bucketized", "timestamp")
    row = {name: 7 if f.kind in numbers else "7" for name, f in features.items()}
    code = re.sub(r'"runs/[^"]+"', repr(first.summary["pushed"]), code)
    code = re.sub(r"^row = .*$", f"row = {row!r}", code, flags=re.MULTILINE)
    answer = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "probability" in answer.stdout


def test_a_model_that_is_not_good_enough_is_not_pushed(checkout: Project, first: Result) -> None:
    served = digest_tree(checkout.serving)
    demand = ["--set", "evaluation.thresholds=[{metric: auc, at_least: 0.999}]"]
    # Nobody tips in cash, as far as the table knows: other trips are harder to predict.
    gap = "evaluation.gaps=[{metric: log_loss, slice_by: [payment_type], at_most: 0.05}]"
    demand += ["--set", gap]
    result = run(checkout, *demand)
    assert result.code == 4, result.output
    assert result.summary["status"] == "not blessed"
    assert "auc on the whole split is" in result.output
    assert "at least 0.999 was asked for (missed by" in " ".join(result.output.split())
    assert "on payment_type=Cash (" in " ".join(result.output.split())
    assert any("at most 0.05 is allowed" in sentence for sentence in result.summary["missed"])
    assert "at least 0.999 was asked for" in result.report()["verdict"]["reasons"][0]
    assert digest_tree(checkout.serving) == served
    again = run(checkout, *demand)
    assert again.code == 4
    assert executed(again) == set()


def test_a_model_that_cannot_be_served_is_not_pushed(checkout: Project, first: Result) -> None:
    assert first.summary["serving_check"]["passed"], first.summary
    served = digest_tree(checkout.serving)
    result = run(checkout, "--set", "serving.check.p99_milliseconds_1=0.0001")
    assert result.code == 5, result.output
    assert result.summary["status"] == "serving check failed"
    assert result.summary["blessed"] is True
    assert result.summary["pushed"] is None
    assert executed(result) == {"ServingCheck", "Pusher"}
    [problem] = result.summary["serving_check"]["problems"]
    assert problem.startswith("p99 of 1 row is ")
    assert "at most 0.0001 ms is allowed" in " ".join(result.output.split())
    report = result.report()
    assert report["verdict"]["reasons"] == [f"{problem}."]
    assert report["quality"]["serving_check"] == result.summary["serving_check"]
    assert digest_tree(checkout.serving) == served
    [blessing] = checkout.find_output("ServingCheck", "INFRA_NOT_BLESSED").parent.glob("*.json")
    assert json.loads(blessing.read_text(encoding="utf-8"))["problems"] == [problem]


def test_a_served_model_removed_by_hand_is_pushed_again(checkout: Project, first: Result) -> None:
    shutil.rmtree(checkout.serving)
    result = run(checkout)
    assert result.code == 0, result.output
    assert (checkout.serving / "served.json").exists()
    assert Path(result.summary["pushed"]).exists()
    assert "ExampleGen" not in executed(result)


def test_a_changed_setting_runs_what_depends_on_it(checkout: Project, first: Result) -> None:
    result = run(checkout, "--set", "training.epochs=2")
    assert result.code in (0, 4), result.output
    assert executed(result) == FROM_TRAINER
    assert result.summary["baseline_metrics"] == pytest.approx(first.summary["metrics"][""])
    names = (first.summary["run"], result.summary["run"])
    compared = checkout.command("report", "--compare", *names, "--output", "runs/taxi")
    assert compared.code == 0, compared.output
    page = checkout.directory / compared.output.strip()
    content = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert [change["key"] for change in content["configuration"]] == ["training.epochs"]
    assert content["rows"]["common"] == content["rows"]["rows_before"]
    assert content["notes"] == []
    pushes = json.loads((checkout.serving / ".push_history.json").read_text(encoding="utf-8"))
    served = json.loads((checkout.serving / "served.json").read_text(encoding="utf-8"))
    auc = next(p["metrics"]["auc"] for p in pushes if p["version"] == served["version"])
    assert auc["low"] < auc["value"] < auc["high"]


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("models/wide_deep", FROM_TRAINER),
        pytest.param("preprocessing", FROM_TRANSFORM, marks=pytest.mark.long),
    ],
)
def test_an_edited_line_runs_what_depends_on_it(
    checkout: Project, first: Result, module: str, expected: set[str]
) -> None:
    path = checkout.directory / f"trainer_module/{module}.py"
    source = path.read_text()
    path.write_text(source + "# edited\n")
    result = run(checkout)
    path.write_text(source)
    assert result.code in (0, 4), result.output
    assert executed(result) == expected


@pytest.mark.long
def test_a_changed_file_runs_everything(checkout: Project, first: Result) -> None:
    sample = checkout.directory / "data/chicago_taxi/sample.csv"
    content = sample.read_bytes()
    stat = sample.stat()
    # Of the same size and age: only the content tells.
    sample.write_bytes(content.replace(b",Cash,", b",CASH,", 3))
    os.utime(sample, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    result = run(checkout)
    sample.write_bytes(content)
    assert result.code in (0, 4), result.output
    assert executed(result) == set(NODES)


def test_the_commands_for_an_own_table_work_as_they_stand(checkout: Project) -> None:
    table = shop_table()
    table["churned"] = table.pop("bought")
    write_csv(checkout.directory / "my.csv", table)
    commands = [c for c in readme_commands() if "my." in c]
    assert [c.split()[3] for c in commands] == ["init", "run"]
    for command in commands:
        result = checkout.shell(command)
        assert result.code == 0, result.output
    assert (checkout.directory / "runs/my/serving/served.json").exists()


def test_the_command_runs_lists_all_runs(checkout: Project, first: Result) -> None:
    listing = checkout.command("runs", "--config", "configs/taxi.yaml")
    assert listing.code == 0
    assert "pushed" in listing.output
    assert first.summary["run"] in listing.output


@pytest.mark.long
def test_the_local_execution_for_kubeflow_pushes_a_model(checkout: Project) -> None:
    [command] = [c for c in readme_commands() if c == "make run-kfp-local"]
    result = checkout.shell(command)
    assert result.code == 0, result.output
    states = dict(line.split()[:2] for line in result.output.splitlines() if line.endswith(" s"))
    assert states["pusher"] == "ran"
    assert (checkout.directory / "runs/kfp-local/volume/taxi/serving/served.json").exists()
