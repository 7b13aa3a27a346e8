"""One attempt of a task: its command line, its process and its outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pipeline import MAKE_TASK, component, execute, make


def test_a_task_past_its_deadline_is_killed_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    slow = f"""
import subprocess
child = subprocess.Popen(["sleep", "60"])
pathlib.Path({str(pid)!r}).write_text(str(child.pid))
child.wait()
"""
    settings = {"exec-slow": {"activeDeadlineSeconds": "1"}}
    outcome = execute(tmp_path, {"slow": component(slow)}, {"slow": {}}, settings)["slow"]
    assert (outcome.state, outcome.message) == ("failed", "exceeded its deadline of 1 s")
    process = Path(f"/proc/{pid.read_text()}/cmdline")
    assert not process.exists() or process.read_bytes() == b""


def test_an_argument_above_the_limit_of_linux_fails_the_task(tmp_path: Path) -> None:
    outcome = execute(tmp_path, {"make": make()}, {"make": MAKE_TASK}, rows="x" * 200_000)["make"]
    assert outcome.message.startswith("cannot be started: [Errno 7] Argument list too long")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [("{'v': None}", "null is not supported"), ("{}", "output parameter size")],
)
def test_outputs_that_kubeflow_cannot_store_fail_the_task(
    tmp_path: Path, metadata: str, message: str
) -> None:
    code = f"""
reported = {{"artifacts": {{"table": {{"artifacts": [{{"metadata": {metadata}}}]}}}}}}
pathlib.Path(outputs["outputFile"]).write_text(json.dumps(reported))
"""
    outcome = execute(tmp_path, {"make": make(code)}, {"make": MAKE_TASK})["make"]
    assert outcome.state == "failed"
    assert message in outcome.message


def test_variables_are_expanded_before_placeholders_are_filled_in(tmp_path: Path) -> None:
    show = component("print(inputs['parameterValues']['rows'], *sys.argv[2:], os.environ['B'])")
    container = show["container"]
    container["env"] = [{"name": "A", "value": "a"}, {"name": "B", "value": "$(A) $$(A) $(C)"}]
    container["args"] += ["$(A)", "$$(A)", "$(HOME)", "$x", "$("]
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    outcome = execute(tmp_path, {"show": show}, tasks, rows="$(A) $$5 $(B)")["show"]
    assert Path(outcome.log).read_text() == ("a $5 a $(A) $(C) a $(A) $(HOME) $x $( a $(A) $(C)\n")


def test_a_quote_in_a_variable_breaks_the_inputs(tmp_path: Path) -> None:
    show = component("")
    show["container"]["env"] = [{"name": "A", "value": '"'}]
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    outcome = execute(tmp_path, {"show": show}, tasks, rows="$(A)")["show"]
    assert outcome.message.startswith("variable expansion made its inputs invalid JSON")
