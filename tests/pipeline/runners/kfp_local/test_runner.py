"""The executor of compiled pipelines around real processes: staging, cache, retries, failures."""

from pathlib import Path

import pytest
from small_pipeline import MAKE, MAKE_TASK, READ_TASK, component, execute, make, read

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import read_pipeline

READ_ROWS = """
for file in sorted(path(inputs["artifacts"], "table").iterdir()):
    print(file.read_text())
"""
COMPONENTS = {"make": make(), "read": read()}
TASKS = {"read": READ_TASK, "make": MAKE_TASK}


def states(outcomes: dict) -> dict[str, str]:
    return {name: outcome.state for name, outcome in outcomes.items()}


def test_a_task_gets_files_numbers_and_metadata_as_a_cluster_hands_them_over(
    tmp_path: Path,
) -> None:
    """Reasons 5 to 7 of the thirteen: empty types, executor-logs, and staged paths.

    An object store has no empty directories, and ML Metadata no truth values.
    """
    outcomes = execute(tmp_path, COMPONENTS, TASKS)
    assert states(outcomes) == {"make": "ran", "read": "ran"}, outcomes
    assert Path(outcomes["read"].log).read_text() == "read ['rows.txt'] 3\n3 1\n"
    assert outcomes["make"].artifacts["table"]["uri"].startswith("s3://bucket/runs/small/")
    # A pod's own files are gone with it.
    assert not (tmp_path / "runs/staging").exists()


def test_a_task_that_reaches_for_what_it_was_not_given_finds_nothing(tmp_path: Path) -> None:
    first = execute(tmp_path, COMPONENTS, TASKS)["make"].artifacts["table"]["uri"]
    stolen = f"print(pathlib.Path({first!r}.replace('s3://', root + '/s3/')).exists())"
    outcome = execute(tmp_path, {"thief": component(stolen)}, {"thief": {}})["thief"]
    assert Path(outcome.log).read_text() == "False\n"


def test_the_cache_goes_by_parameters_and_numbers_of_artifacts(tmp_path: Path) -> None:
    """Reason 8: content that no parameter shows does not count."""
    execute(tmp_path, COMPONENTS, TASKS)
    assert set(states(execute(tmp_path, COMPONENTS, TASKS)).values()) == {"cached"}
    changed = execute(tmp_path, COMPONENTS, TASKS, rows="other")
    assert states(changed) == {"make": "ran", "read": "ran"}
    # Run anew, the first has a new number, though nothing changed: so has all below it.
    uncached = {**TASKS, "make": {**MAKE_TASK, "cachingOptions": {}}}
    assert states(execute(tmp_path, COMPONENTS, uncached)) == {"make": "ran", "read": "ran"}
    # One that gives only parameters does not spoil the cache below it.
    sized = {**READ_TASK, "inputs": {"parameters": READ_TASK["inputs"]["parameters"]}}
    only_size = {"make": make(), "read": component("", **_size_only())}
    tasks = {**uncached, "read": sized}
    execute(tmp_path, only_size, tasks)
    assert states(execute(tmp_path, only_size, tasks)) == {"make": "ran", "read": "cached"}


def _size_only() -> dict:
    return {"inputDefinitions": {"parameters": {"size": {"parameterType": "NUMBER_INTEGER"}}}}


def test_another_image_command_or_volume_is_no_cache_hit(tmp_path: Path) -> None:
    """Reason 10: what is behind a tag that stays the same is not seen."""
    components, tasks = {"make": make()}, {"make": MAKE_TASK}
    execute(tmp_path, components, tasks)
    assert states(execute(tmp_path, components, tasks)) == {"make": "cached"}
    container = components["make"]["container"]
    image = {"make": {**components["make"], "container": {**container, "image": "other"}}}
    assert states(execute(tmp_path, image, tasks)) == {"make": "ran"}
    assert states(execute(tmp_path, {"make": make(MAKE + "\n")}, tasks)) == {"make": "ran"}
    volume = {"exec-make": {"pvcMount": [{"constant": "claim", "mountPath": str(tmp_path / "v")}]}}
    assert states(execute(tmp_path, components, tasks, volume)) == {"make": "ran"}


def test_a_failed_task_is_tried_again_and_then_ends_the_run(tmp_path: Path) -> None:
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
    assert states(outcomes) == {"flaky": "ran", "gate": "failed", "after": "not started"}
    assert [outcomes[name].attempts for name in tasks] == [2, 2, 0]
    assert outcomes["gate"].exit_code == 3
    assert outcomes["gate"].message.endswith("Error: no such column: price\n  rename it")


def test_a_task_beyond_its_deadline_is_ended_with_all_it_started(tmp_path: Path) -> None:
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


def test_an_argument_that_linux_refuses_fails_the_task(tmp_path: Path) -> None:
    outcome = execute(tmp_path, {"make": make()}, {"make": MAKE_TASK}, rows="x" * 200_000)["make"]
    assert outcome.message.startswith("cannot be started: [Errno 7] Argument list too long")


@pytest.mark.parametrize(
    ("metadata", "told"),
    [("{'v': None}", "null is not supported"), ("{}", "output parameter size")],
)
def test_what_kubeflow_cannot_keep_fails_the_task(tmp_path: Path, metadata: str, told: str) -> None:
    code = f"""
told = {{"artifacts": {{"table": {{"artifacts": [{{"metadata": {metadata}}}]}}}}}}
pathlib.Path(outputs["outputFile"]).write_text(json.dumps(told))
"""
    outcome = execute(tmp_path, {"make": make(code)}, {"make": MAKE_TASK})["make"]
    assert outcome.state == "failed"
    assert told in outcome.message


def test_what_the_backend_does_not_have_is_refused_by_name(tmp_path: Path) -> None:
    """Reasons 2 and 3: other versions of the schema, and resolvers."""
    components = {"make": make()}
    with pytest.raises(ConfigError, match="parameter rowz: unknown"):
        execute(tmp_path, components, {"make": MAKE_TASK}, rowz="1")
    with pytest.raises(ConfigError, match="depends on gone, which is missing"):
        execute(tmp_path, components, {"make": {**MAKE_TASK, "dependentTasks": ["gone"]}})
    file = tmp_path / "pipeline.yaml"
    text = file.read_text().replace('"dependentTasks": ["gone"], ', "").replace("gone", "make")
    for old, new, message in (
        ("2.1.0", "2.0.0", "schemaVersion is 2.0.0"),
        ('{"container":', '{"resolver":', "resolver executors not implemented"),
    ):
        file.write_text(text.replace(old, new))
        with pytest.raises(ConfigError, match=message):
            read_pipeline(file)


def test_what_a_task_does_to_its_inputs_is_seen_by_no_other(tmp_path: Path) -> None:
    spoil = "path(inputs['artifacts'], 'table').joinpath('rows.txt').write_text('spoilt')\n"
    components = {"make": make(), "spoil": read(spoil), "read": read(READ_ROWS)}
    tasks = {"make": MAKE_TASK, "spoil": READ_TASK, "read": READ_TASK}
    tasks["read"] = {**READ_TASK, "dependentTasks": ["spoil"]}
    outcomes = execute(tmp_path, components, tasks)
    assert Path(outcomes["read"].log).read_text() == "abc\n"


def test_what_else_has_the_name_of_an_output_cannot_change_it(tmp_path: Path) -> None:
    """A file of the task's volume, linked instead of copied."""
    mine, seen = tmp_path / "mine.txt", tmp_path / "seen.txt"
    linked = f"""
import shutil
mine, seen = pathlib.Path({str(mine)!r}), pathlib.Path({str(seen)!r})
mine.write_text("abc")
seen.write_text("abc")
folder = path(outputs["artifacts"], "table")
folder.mkdir(parents=True)
os.link(mine, folder / "rows.txt")
os.symlink(seen, folder / "more.txt")
pathlib.Path(outputs["parameters"]["size"]["outputFile"]).write_text("3")
"""
    change = f"pathlib.Path({str(mine)!r}).write_text('x'); pathlib.Path({str(seen)!r}).unlink()\n"
    components = {"make": make(linked), "read": read(change + READ_ROWS)}
    outcomes = execute(tmp_path, components, {"make": MAKE_TASK, "read": READ_TASK})
    assert Path(outcomes["read"].log).read_text() == "abc\nabc\n"


def test_kubernetes_expands_variables_before_the_launcher_fills_in(tmp_path: Path) -> None:
    show = component("print(inputs['parameterValues']['rows'], *sys.argv[2:], os.environ['B'])")
    container = show["container"]
    container["env"] = [{"name": "A", "value": "a"}, {"name": "B", "value": "$(A) $$(A) $(C)"}]
    container["args"] += ["$(A)", "$$(A)", "$(HOME)", "$x", "$("]
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    outcome = execute(tmp_path, {"show": show}, tasks, rows="$(A) $$5 $(B)")["show"]
    assert Path(outcome.log).read_text() == ("a $5 a $(A) $(C) a $(A) $(HOME) $x $( a $(A) $(C)\n")


def test_a_quote_from_a_variable_spoils_the_inputs(tmp_path: Path) -> None:
    show = component("")
    show["container"]["env"] = [{"name": "A", "value": '"'}]
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    outcome = execute(tmp_path, {"show": show}, tasks, rows="$(A)")["show"]
    assert outcome.message.startswith("variable expansion made its inputs invalid JSON")
