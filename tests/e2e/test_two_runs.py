"""Two runs with the same directory, and directories that cannot be written."""

import os
import signal
import time
from pathlib import Path

import pytest
from accidents import Chain, Running, ctrl_c, read_only, start_chain
from support import Project

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    return start_chain(tmp_path_factory.mktemp("two"))


def run_refused(project: Project, *arguments: str) -> str:
    """Returns the output of a refused run, which must not wait for the other one."""
    started = time.monotonic()
    result = project.command("run", "--config", "my.yaml", *arguments)
    assert result.code == 2, result.output
    assert "Traceback" not in result.output
    assert time.monotonic() - started < 60  # It takes a second on a machine that is not busy.
    return " ".join(result.output.split())


def test_the_second_run_is_refused_until_the_first_has_ended(chain: Chain) -> None:
    def meanwhile(run: Running) -> None:
        holder = f"another run is at work here (process {run.parent.pid}"
        same = ("--output", chain.project.output)
        assert f"--output {chain.output}: {holder})" in run_refused(chain.project, *same)
        # Another output directory, but the same place to push to.
        elsewhere = ("--output", "other", "--set", f"serving.directory={chain.project.serving}")
        told = run_refused(chain.project, *elsewhere)
        assert f"serving.directory {chain.project.serving}: {holder})" in told
        # Killed, the first still has a DAG process.
        os.kill(run.worker, signal.SIGSTOP)
        run.parent.kill()
        run.parent.wait()
        ending = f"{holder}, which has ended; process {run.worker} is still shutting down)"
        assert ending in run_refused(chain.project, *same)
        os.kill(run.worker, signal.SIGCONT)

    assert chain.strike("ExampleGen", "start", meanwhile).code == -signal.SIGKILL
    chain.check("ExampleGen")
    chain.check_order()


def test_a_second_ctrl_c_ends_the_run_at_once(chain: Chain) -> None:
    times = []

    def impatient(run: Running) -> None:
        os.kill(run.worker, signal.SIGSTOP)  # Stuck, it cannot end in order.
        ctrl_c(run)
        time.sleep(2)
        assert run.parent.poll() is None
        times.append(time.monotonic())
        ctrl_c(run)
        run.parent.wait()
        times.append(time.monotonic())

    result = chain.strike("ExampleGen", "start", impatient)
    assert result.code == 130, result.output
    assert times[1] - times[0] < 20  # A run in order has so many seconds to end.


@pytest.mark.parametrize("key", ["--output", "serving.directory"])
def test_an_unwritable_directory_is_refused_before_any_work(
    chain: Chain, tmp_path: Path, key: str
) -> None:
    arguments = {
        "--output": ("--output", str(tmp_path)),
        "serving.directory": ("--output", "fresh", "--set", f"serving.directory={tmp_path}"),
    }
    with read_only(tmp_path):
        told = run_refused(chain.project, *arguments[key])
    assert f"{key} {tmp_path}: cannot be written: " in told
    assert not list(tmp_path.iterdir())


def test_an_unwritable_summary_is_refused_before_any_work(chain: Chain, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    told = run_refused(chain.project, "--output", "fresh", "--json", str(absent / "summary.json"))
    assert f"--json {absent}: cannot be written: No such file or directory" in told


def test_a_read_only_output_directory_is_refused(chain: Chain) -> None:
    with read_only(chain.output):
        told = run_refused(chain.project, "--output", chain.project.output)
    assert f"--output {chain.output}: cannot be written: " in told
