"""kill -9 of the DAG process alone, and SIGTERM; then the same command.

In the large components; what any kill leaves is tested in each by test_killed_runs.
"""

import json
import time

import pytest
from accidents import (
    LARGE,
    Chain,
    Running,
    check_end,
    kill_worker,
    start_chain,
    terminate,
)

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    return start_chain(tmp_path_factory.mktemp("terminated"))


@pytest.mark.parametrize("accident", ["kill -9", "SIGTERM"])
@pytest.mark.parametrize("component", LARGE)
def test_finished_components_stay_after_an_accident(
    chain: Chain, component: str, accident: str
) -> None:
    training = component == "Trainer"
    if accident == "kill -9":
        result = chain.strike(component, "backup" if training else "start", kill_worker)
        assert result.code == 1, result.output
        assert "the run's process ended by signal 9" in result.output
    else:
        result = chain.strike(component, "backup" if training else "end", terminate)
        assert result.code == 130, result.output
        chain.check_order()
    chain.check(component)


def test_children_of_a_killed_process_end_too(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    chain = start_chain(tmp_path_factory.mktemp("workers"))
    flags = "runner=DirectRunner", "direct_running_mode=multi_processing", "direct_num_workers=2"
    args = json.dumps([f"--{flag}" for flag in flags])

    def kill_amid_beam(run: Running) -> None:
        run.release()
        deadline = time.monotonic() + 60
        while len(chain.working_processes()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(chain.working_processes()) > 1, "Beam started no process"
        kill_worker(run)

    result = chain.strike("StatisticsGen", "start", kill_amid_beam, "--set", f"beam.args={args}")
    assert result.code == 1, result.output


def test_the_last_run_gives_the_model_of_an_undisturbed_run(chain: Chain) -> None:
    check_end(chain, resumed=[1, 2, 3])
