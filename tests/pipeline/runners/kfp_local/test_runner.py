"""Whole runs of small pipelines: inputs, isolation, retries and failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pipeline import COMPONENTS, MAKE_TASK, TASKS, component, execute, list_states, make

from pipeline.core.errors import ConfigError


def test_a_task_receives_its_inputs_as_on_a_cluster(
    tmp_path: Path,
) -> None:
    """Reasons 5 to 7 (docs/kubeflow.md): empty types, executor-logs, and staged paths.

    An object store has no empty directories, and ML Metadata has no booleans.
    """
    outcomes = execute(tmp_path, COMPONENTS, TASKS)
    assert list_states(outcomes) == {"make": "ran", "read": "ran"}, outcomes
    assert Path(outcomes["read"].log).read_text() == "read ['rows.txt'] 3\n3 1\n"
    assert outcomes["make"].artifacts["table"]["uri"].startswith("s3://bucket/runs/small/")
    # A pod's local files vanish with the pod.
    assert not list((tmp_path / "runs/staging").iterdir())


def test_a_task_finds_no_artifacts_but_its_inputs(tmp_path: Path) -> None:
    first = execute(tmp_path, COMPONENTS, TASKS)["make"].artifacts["table"]["uri"]
    stolen = f"print(pathlib.Path({first!r}.replace('s3://', root + '/s3/')).exists())"
    outcome = execute(tmp_path, {"thief": component(stolen)}, {"thief": {}})["thief"]
    assert Path(outcome.log).read_text() == "False\n"


def test_a_failed_task_is_retried_before_it_ends_the_run(tmp_path: Path) -> None:
    flaky = f"""
marker = pathlib.Path({str(tmp_path / "marker")!r})
if not marker.exists():
    marker.touch()
    os.kill(os.getpid(), 9)
"""
    bad = 'print("Error: no such column: price"); print("  rename it"); sys.exit(3)'
    components = {"flaky": component(flaky), "gate": component(bad), "after": component("")}
    policy = {"maxRetryCount": 1, "backoffDuration": "0s", "backoffFactor": 2.0}
    tasks = {
        "flaky": {"retryPolicy": policy},
        "gate": {"retryPolicy": policy, "dependentTasks": ["flaky"]},
        "after": {"dependentTasks": ["gate"]},
    }
    outcomes = execute(tmp_path, components, tasks)
    assert list_states(outcomes) == {"flaky": "ran", "gate": "failed", "after": "not started"}
    assert [outcomes[name].attempts for name in tasks] == [2, 2, 0]
    assert outcomes["gate"].exit_code == 3
    assert outcomes["gate"].message.endswith("Error: no such column: price\n  rename it")


def test_an_unknown_parameter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="parameter rowz: unknown"):
        execute(tmp_path, {"make": make()}, {"make": MAKE_TASK}, rowz="1")
