"""Staging directories when a container's user is not the user of the executor.

The executor runs as an ordinary user. If root runs the tests, the executor has root's number
without root's rights over other users' files, and the container really has another user. Otherwise
the container has the same user, and protects its files against removal.
"""

from __future__ import annotations

import functools
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_pipeline import component, execute, list_arguments, spec

IS_ROOT = os.geteuid() == 0
USER = "1000" if IS_ROOT else "self"
ENGINE = f"{sys.executable} {Path(__file__).with_name('fake_engine.py')}"
RIGHTS = "-dac_override,-dac_read_search,-fowner"
DROP_RIGHTS = ("setpriv", f"--inh-caps={RIGHTS}", f"--bounding-set={RIGHTS}")

# Arguments: the artifact's directory, the claim, a umask. The first attempt of all runs fails.
WRITE = """
set -eu
umask "$2"
attempts=$(ls "$1/" | wc -l)
mkdir -p "$0/below" /tmp/left/below
echo "attempt $attempts" >"$0/below/rows.txt"
touch "$0/of-attempt-$attempts" /tmp/left/below/file
chmod -R a-w /tmp/left "$0/below"
touch "$1/attempt-$attempts"
[ "$attempts" != 0 ]
"""


@functools.cache
def ordinary_user() -> tuple[str, ...]:
    """Returns the start of a command line that runs without rights over other users' files."""
    if not IS_ROOT:
        return ()
    if subprocess.run([*DROP_RIGHTS, "true"], capture_output=True).returncode != 0:
        pytest.skip("root may not give up its rights here (setpriv needs CAP_SETPCAP)")
    return DROP_RIGHTS


def run_containers(
    directory: Path, image: str, components: dict[str, Any], tasks: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Executes a pipeline in containers; returns the outcomes of the tasks and the output."""
    mounts = {"pvcMount": [{"constant": "claim", "mountPath": "/claim"}]}
    platform = {
        "platforms": {
            "kubernetes": {
                "deploymentSpec": {"executors": {f"exec-{name}": mounts for name in components}}
            }
        }
    }
    file = directory / "pipeline.yaml"
    file.write_text(f"{json.dumps(spec(components, tasks))}\n---\n{json.dumps(platform)}\n")
    outcomes = directory / "outcomes.json"
    outcomes.unlink(missing_ok=True)
    options = (f"--image={image}", f"--engine={ENGINE}", f"--json={outcomes}")
    process = subprocess.run(
        [
            *ordinary_user(),
            *(sys.executable, "-m", "pipeline.runners.kfp_local"),
            *list_arguments(file, *options),
        ],
        capture_output=True,
        text=True,
    )
    output = process.stdout + process.stderr
    assert outcomes.exists(), output
    return json.loads(outcomes.read_text()), output


def shell(script: str, *arguments: str, **definitions: Any) -> dict[str, Any]:
    """Returns a component that runs the script in a shell."""
    container = {"image": "any", "command": ["sh", "-c", script, *arguments]}
    return {"container": container, **definitions}


TABLE = {"artifacts": {"table": {"artifactType": {"schemaTitle": "tfx.Examples"}}}}
OUTPUT = "{{$.outputs.artifacts['table'].path}}"


def write(umask: str) -> dict[str, Any]:
    return shell(WRITE, OUTPUT, "/claim", umask, outputDefinitions=TABLE)


COMPONENTS = {
    "write": write("077"),
    "read": shell(
        'cd "$0" && cat below/rows.txt && ls -d of-*',
        "{{$.inputs.artifacts['table'].path}}",
        inputDefinitions=TABLE,
    ),
}
TASKS: dict[str, Any] = {
    "write": {"retryPolicy": {"maxRetryCount": 1, "backoffDuration": "0s"}},
    "read": {
        "inputs": {
            "artifacts": {
                "table": {
                    "taskOutputArtifact": {"producerTask": "write", "outputArtifactKey": "table"}
                }
            }
        }
    },
}


def list_staged(directory: Path) -> list[Path]:
    return sorted((directory / "runs/staging").iterdir())


def test_files_of_a_containers_user_are_read_stored_and_removed(tmp_path: Path) -> None:
    outcomes, output = run_containers(tmp_path, f"image:{USER}", COMPONENTS, TASKS)
    assert {name: task["state"] for name, task in outcomes.items()} == {
        "write": "ran",
        "read": "ran",
    }, output
    # The output holds the files of the second attempt only.
    assert Path(outcomes["read"]["log"]).read_text() == "attempt 1\nof-attempt-1\n"
    assert list_staged(tmp_path) == []
    stored = list((tmp_path / "runs/buckets").rglob("*"))
    assert {path.stat().st_uid for path in stored} == {os.geteuid()}
    assert not any(path.stat().st_mode & stat.S_IWOTH for path in stored)


def test_files_that_cannot_be_removed_do_not_disturb_later_attempts_and_runs(
    tmp_path: Path,
) -> None:
    components = {**COMPONENTS, "write": write("022")}
    for newest, attempts, left in ((1, 2, 2), (2, 1, 3)):
        outcomes, output = run_containers(tmp_path, f"empty:{USER}", components, TASKS)
        assert [task["state"] for task in outcomes.values()] == ["ran", "ran"], output
        assert outcomes["write"]["attempts"] == attempts
        log = Path(outcomes["read"]["log"]).read_text()
        assert log == f"attempt {newest}\nof-attempt-{newest}\n"
        # The user learns which directories stay.
        staged = list_staged(tmp_path)
        assert len(staged) == left
        assert all(f"{path} cannot be removed" in output for path in staged)
    # Other versions of the image can remove them.
    run_containers(tmp_path, f"image:{USER}", components, TASKS)
    assert list_staged(tmp_path) == []


def test_an_output_that_cannot_be_read_fails_the_task(tmp_path: Path) -> None:
    """The executor must not take an unreadable directory for an empty directory."""
    lock = shell(
        'mkdir -p "$0/locked" && touch "$0/locked/rows.txt" && chmod 0 "$0/locked"',
        OUTPUT,
        outputDefinitions=TABLE,
    )
    outcomes, _ = run_containers(tmp_path, f"empty:{USER}", {"lock": lock}, {"lock": {}})
    assert outcomes["lock"]["state"] == "failed"
    assert outcomes["lock"]["message"].startswith("its outputs cannot be read: ")
    assert outcomes["lock"]["message"].endswith("/table/locked: Permission denied")
    for path in list_staged(tmp_path):
        subprocess.run(["chmod", "-R", "u+rwx", path], check=True)


def test_a_retried_process_sees_its_files_at_the_same_path(tmp_path: Path) -> None:
    """As in a pod: the Trainer's backup is found by the paths of its inputs."""
    roots = tmp_path / "roots"
    code = f"""
with open({str(roots)!r}, "a") as file:
    print(root, sorted(os.listdir(root)), os.listdir(root + "/s3"), file=file)
pathlib.Path(root, "s3/left").touch()
sys.exit(1)
"""
    policy = {"maxRetryCount": 1, "backoffDuration": "0s"}
    execute(tmp_path, {"fail": component(code)}, {"fail": {"retryPolicy": policy}})
    execute(tmp_path, {"fail": component(code)}, {"fail": {}})
    first, *later = roots.read_text().splitlines()
    assert later == [first, first]


def test_directories_that_a_container_writes_to_have_closed_parents(tmp_path: Path) -> None:
    (tmp_path / "runs/volumes").mkdir(parents=True)
    (tmp_path / "runs/volumes").chmod(0o755)
    modes = shell("stat -L -c %a /gcs /minio /s3 /tmp /tmp/kfp/outputs /claim")
    outcomes, output = run_containers(tmp_path, f"image:{USER}", {"modes": modes}, {"modes": {}})
    assert Path(outcomes["modes"]["log"]).read_text() == "1777\n" * 6, output
    for parent in ("staging", "volumes"):
        assert stat.S_IMODE((tmp_path / "runs" / parent).stat().st_mode) == 0o700


def test_a_process_gets_no_directory_that_other_users_can_write_to(tmp_path: Path) -> None:
    show = """
for folder, _, _ in os.walk(root):
    assert not os.stat(folder).st_mode & 0o022, folder
print(oct(os.stat(root).st_mode & 0o777), oct(os.stat(root + "/..").st_mode & 0o777))
"""
    settings = {"exec-show": {"pvcMount": [{"constant": "c", "mountPath": str(tmp_path / "v")}]}}
    outcome = execute(tmp_path, {"show": component(show)}, {"show": {}}, settings)["show"]
    assert Path(outcome.log).read_text() == "0o700 0o700\n"
    assert not (tmp_path / "v").stat().st_mode & 0o022
