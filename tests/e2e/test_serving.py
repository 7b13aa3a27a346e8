"""A model that the project trained and pushed: served, used for predictions, trained further."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import requests
from running_server import RunningServer
from support import Project, Result

pytestmark = pytest.mark.slow

# What a program without this project gets from the pushed model.
_REFERENCE = """
import json, sys
import tensorflow as tf
missing = {tf.float32: float("nan"), tf.int64: -(2**63), tf.string: "__MISSING__"}
signature = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
rows = json.load(sys.stdin)
tensors = {
    name: tf.constant(
        [[missing[spec.dtype] if r[name] is None else r[name]] for r in rows], spec.dtype
    )
    for name, spec in signature.structured_input_signature[1].items()
}
answers = {name: value.numpy().tolist() for name, value in signature(**tensors).items()}
answers["class"] = [value.decode() for value in answers["class"]]
json.dump([dict(zip(answers, row)) for row in zip(*answers.values())], sys.stdout)
"""


@pytest.fixture(scope="module")
def first(project: Project) -> Result:
    return project.run()


def read_rows(project: Project, columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns rows of the table as a client sends them; every third value is missing."""
    types = {"number": float, "integer": int, "string": str}
    with open(project.directory / "shop.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))[:50]
    return [
        {
            name: types[column["type"][0]](row[name]) if row[name] and (i + j) % 3 else None
            for j, (name, column) in enumerate(columns.items())
        }
        for i, row in enumerate(table)
    ]


def describe(server: RunningServer) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Returns the path of predictions, the example and the columns."""
    paths = server.get("/openapi.json").json()["paths"]
    path = next(path for path in paths if path.endswith(":predict"))
    body = paths[path]["post"]["requestBody"]["content"]["application/json"]
    return path, body["example"], body["schema"]["properties"]["instances"]["items"]["properties"]


def test_the_server_answers_what_the_signature_answers(project: Project, first: Result) -> None:
    assert first.code == 0, first.output
    with RunningServer("--output", project.directory / project.output) as server:
        path, example, columns = describe(server)
        assert path == f"/v1/models/{project.output}:predict"
        answer = server.post(path, json=example)
        assert answer.status_code == 200, answer.text
        assert None not in example["instances"][0].values()
        rows = read_rows(project, columns)
        served = server.post(path, json={"instances": rows}).json()["predictions"]
        version = server.get("/readyz").json()["version"]
    reference = subprocess.run(
        [sys.executable, "-I", "-c", _REFERENCE, str(project.serving / version)],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = json.loads(reference.stdout)
    assert [p["class"] for p in served] == [p["class"] for p in expected]
    for key in ("probability",):
        values = [p[key] for p in expected]
        assert [p[key] for p in served] == pytest.approx(values, abs=1e-6)
        assert len({round(value, 4) for value in values}) > 5


def test_predictions_after_a_run_are_what_the_server_answers(
    project: Project, first: Result
) -> None:
    assert first.code == 0, first.output
    section = "prediction={input: shop.csv, output: scored, key: bought, columns: [price, color]}"
    again = project.run("--set", section)
    assert again.code == 0, again.output
    ran = {name for name, state in again.states().items() if state != "cached"}
    assert ran == {"BatchPredictor"}
    table = pq.read_table(project.directory / "scored" / "shop.csv-00000.parquet").to_pylist()
    assert len(table) == 400
    rows = [{"price": float(row["price"]), "color": row["color"]} for row in table]
    with RunningServer("--output", project.directory / project.output) as server:
        path, _, _ = describe(server)
        answers = server.post(path, json={"instances": rows}).json()["predictions"]
    for row, answer in zip(table, answers, strict=True):
        assert row["class"] == answer["class"]
        assert row["probability"] == pytest.approx(answer["probability"], abs=1e-6)

    project.write("bad.csv", "price,color\n1,red\nmany,red\n")
    failed = project.run("--set", "prediction={input: bad.csv, output: other}")
    assert failed.code == 3, failed.output
    assert "BatchPredictor: 1 bad row of 2" in failed.output
    # The failure comes after the push, and does not hide it.
    assert failed.summary["pushed"] == again.summary["pushed"]
    assert failed.summary["metrics"] == again.summary["metrics"]


@pytest.mark.long
def test_a_push_in_the_middle_of_requests_fails_none(project: Project, first: Result) -> None:
    assert first.code == 0, first.output
    answers: Counter[object] = Counter()
    stop = threading.Event()

    def ask(address: str, path: str, body: Any) -> None:
        with requests.Session() as session:
            session.trust_env = False
            while not stop.is_set():
                try:
                    answers[session.post(address + path, json=body, timeout=60).status_code] += 1
                except requests.RequestException as error:
                    answers[repr(error)] += 1

    options = ("--workers", "2", "--no-access-log")
    with RunningServer("--output", project.directory / project.output, *options) as server:
        before = server.get("/readyz").json()["version"]
        path, example, _ = describe(server)
        threads = [
            threading.Thread(target=ask, args=(server.address, path, example)) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        pushed = project.run("--set", "training.seed=7")
        assert pushed.code == 0, pushed.output
        server.wait_for(lambda: server.get("/readyz").json()["version"] != before)
        stop.set()
        for thread in threads:
            thread.join()
        version = Path(pushed.summary["pushed"]).name
        assert server.get("/readyz").json()["version"] == version != before
    assert set(answers) == {200}


@pytest.mark.long
def test_training_can_start_from_the_served_model(project: Project, first: Result) -> None:
    """It trains one more epoch. The next run does not train the pushed model again from itself."""
    assert first.code == 0, first.output
    warm = ("--set", "training.warm_start=true", "--set", "training.epochs=1")
    result = project.run(*warm)
    assert result.code == 0, result.output
    assert {name for name, state in result.states().items() if state == "complete"} == {
        "WarmStart", "Trainer", "Baseline", "Evaluator", "ModelFigures", "Pusher",
    }  # fmt: skip
    history = json.loads(project.find_output("Trainer", "history.json").read_text())
    assert history["served_weights"] == history["weights"]
    again = project.run(*warm)
    assert again.code == 0, again.output
    assert set(again.states().values()) == {"cached"}
