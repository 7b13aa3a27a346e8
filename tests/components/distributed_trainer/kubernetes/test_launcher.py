"""The supervisor over pods of a fake Kubernetes: what befalls them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from fake_cluster import FakeCluster
from scripted_pods import is_alive, launcher, meanwhile, no_pause, starts

from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError, DataError


def test_all_workers_run_once_and_nothing_is_left(
    cluster: FakeCluster, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "wait_for_all(2); print(os.environ['LEVEL'])"
    supervise(launcher(folder, script, env={"LEVEL": "fine"}), Policy())
    assert starts(folder) == ["0-0", "1-0"]
    lines = capfd.readouterr().err.splitlines()
    said = sorted(line for line in lines if line.endswith("fine"))
    assert said == ["[worker 0] fine", "[worker 1] fine"]
    assert not any("##worker" in line for line in lines)
    assert cluster.left() == []
    assert not any("DELETE" in r and "/jobs/" not in r for r in cluster.requests)


def test_each_pod_finds_its_task_and_the_names_of_all(cluster: FakeCluster, folder: Path) -> None:
    """A name that no Service resolves would have stayed as it is."""
    script = "open(f'{folder}/config-{type_}{task}', 'w').write(os.environ['TF_CONFIG'])"
    supervise(launcher(folder, script, {"worker": 3}), Policy())
    configs = [json.loads((folder / f"config-worker{i}").read_text()) for i in range(3)]
    assert [config["task"]["index"] for config in configs] == [0, 1, 2]
    [addresses] = {tuple(config["cluster"]["worker"]) for config in configs}
    assert len(set(addresses)) == 3
    assert all(address.startswith("localhost:") for address in addresses)


def test_servers_end_with_their_chief(cluster: FakeCluster, folder: Path) -> None:
    script = "wait_for_all(3); time.sleep(0 if type_ == 'chief' else 600)"
    supervise(launcher(folder, script, {"chief": 1, "worker": 1, "ps": 1}), Policy())
    assert starts(folder) == ["0-0", "chief0-0", "ps0-0"]
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())
    assert cluster.left() == []


def test_who_finds_another_trainer_at_work_is_told_before_anything_is_touched(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = launcher(folder, "time.sleep(600)").start()
    cluster.add_trainer("another")
    monkeypatch.setenv("KFP_POD_NAME", "another")
    with pytest.raises(ConfigError, match="pod trainer is training the same model"):
        launcher(folder, "").take_over()
    attempt.stop()
    assert cluster.left() == []


def test_a_killed_pod_restarts_all(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = """
    wait_for_all(2)
    if attempt == 0: time.sleep(1 if task == 0 else 600); report("Unavailable", lost_peer=True)
    """
    thread = meanwhile(lambda: len(starts(folder)) == 2, lambda: cluster.kill(1))
    supervise(launcher(folder, script), Policy(), pause=no_pause)
    thread.join()
    assert starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "worker 1 was killed by signal 9 (OOMKilled); restart 1" in caplog.text
    assert cluster.left() == []


def test_an_evicted_pod_restarts_all(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = "wait_for_all(2); time.sleep(600 if attempt == 0 else 0)"
    thread = meanwhile(lambda: len(starts(folder)) == 2, lambda: cluster.evict(0))
    supervise(launcher(folder, script), Policy(), pause=no_pause)
    thread.join()
    assert starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "worker 0 was killed by signal " in caplog.text
    assert cluster.left() == []


def test_an_error_of_the_user_comes_through_and_is_not_tried_again(
    cluster: FakeCluster, folder: Path
) -> None:
    """Though a peer noticed first, and more is said than Kubernetes carries."""
    script = """
    wait_for_all(2)
    if task == 0: report("UnavailableError: gone", lost_peer=True)
    time.sleep(1)
    report("label is constant: " + "ä" * 5000, hint="look", exit_code=3)
    """
    with pytest.raises(DataError, match=r"label is constant: ä{300,} \.\.\.$") as caught:
        supervise(launcher(folder, script), Policy(), pause=no_pause)
    assert caught.value.hint == "look"
    assert starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


def test_steps_come_back_and_what_hangs_is_restarted(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Though every stream of logs is cut meanwhile, and the server is gone for a moment."""
    script = """
    wait_for_all(2)
    for step in range(8): steps(step - task); time.sleep(0.4)
    if attempt == 0: time.sleep(600)
    """

    def disturb() -> None:
        cluster.cut += 1
        for log in cluster.logs.values():
            log.append("unable to retrieve container logs")
        cluster.down = True
        time.sleep(0.8)
        cluster.down = False

    thread = meanwhile(lambda: len(starts(folder)) == 2, disturb)
    supervise(launcher(folder, script), Policy(stall_seconds=4), pause=no_pause)
    thread.join()
    assert starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "any further in 4 s: worker 0 at step 7, worker 1 at step 6; restart" in caplog.text
