"""A model waits, is promoted, replaced, rolled back, withdrawn and brought back, in real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running_server import RunningServer
from support import SHOP_CONFIG, Project, shop_table, write_csv

pytestmark = [pytest.mark.slow, pytest.mark.long]

NEWER = ("--set", "training.seed=7")


def states(project: Project) -> dict[str, str]:
    listed = project.command("versions", "--output", project.output, "--json")
    assert listed.code == 0, listed.output
    return {version["version"]: version["state"] for version in json.loads(listed.output)}


def served(project: Project) -> str:
    return str(json.loads((project.serving / "served.json").read_text())["version"])


def test_a_model_waits_serves_goes_and_comes_back(tmp_path: Path) -> None:
    project = Project(tmp_path)
    write_csv(tmp_path / "shop.csv", shop_table())
    project.write("my.yaml", SHOP_CONFIG)

    # A person looks first: nothing is served, and no model server finds the candidate.
    waits = project.run("--set", "serving.mode=manual")
    assert (waits.code, waits.summary["status"]) == (6, "waiting")
    assert not [path for path in project.serving.iterdir() if path.name.isdigit()]
    assert waits.summary["waiting"] in waits.output.replace("\n", "")
    first = Path(waits.summary["waiting"]).name
    assert states(project) == {first: "waiting"}
    promoted = project.command("promote", "--output", "out", "--reason", "looks good")
    assert promoted.code == 0, promoted.output
    assert (served(project), states(project)) == (first, {first: "served"})
    again = project.run("--set", "serving.mode=manual")
    assert (again.code, {*again.states().values()}) == (0, {"cached"})
    assert "Already served" in again.output

    assert project.run(*NEWER).code == 0
    second = served(project)
    assert states(project) == {first: "earlier", second: "served"}
    with RunningServer("--output", project.directory / "out") as server:
        ready = f"{server.address}/readyz"
        assert server.session.get(ready).json()["version"] == second
        back = project.command("rollback", "--output", "out", "--reason", "too many complaints")
        assert back.code == 0, back.output
        server.wait_for(lambda: server.session.get(ready).json()["version"] == first)
    assert states(project) == {first: "served", second: "withdrawn"}
    assert f"versions: {first} " in (project.serving / "models.config").read_text()

    for pusher in ("complete", "cached"):
        refused = project.run(*NEWER)
        assert (refused.code, refused.summary["status"]) == (7, "withdrawn")
        assert {n for n, state in refused.states().items() if state != "cached"} <= {"Pusher"}
        assert refused.states()["Pusher"] == pusher
    assert "because: too many complaints" in refused.output
    assert f"promote {second}" in refused.output
    assert served(project) == first

    assert project.command("promote", second, "--output", "out").code == 0
    back_again = project.run(*NEWER)
    assert (back_again.code, {*back_again.states().values()}) == (0, {"cached"})
    assert back_again.summary["pushed"].endswith(second)
    runs = json.loads(project.command("runs", "--output", "out", "--json").output)
    told = [(run["status"], run["served"]) for run in runs]
    assert told == [
        ("waiting", "before"), ("already served", "before"), ("pushed", "now"),
        ("withdrawn", ""), ("withdrawn", ""), ("already served", "now"),
    ]  # fmt: skip
