"""The supervisor with pods of a fake Kubernetes: lost, hung and pending pods."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster
from process_states import wait_until
from scripted_pods import act_when, make_launcher
from scripted_workers import list_starts, skip_pause

from components.distributed_trainer.kubernetes.attempt import KubernetesAttempt
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import ConfigError, DataError

pytestmark = pytest.mark.slow


def test_all_pods_restart_after_one_is_killed(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = """
    wait_for_all(2)
    if attempt == 0: time.sleep(1 if task == 0 else 600); report("Unavailable", lost_peer=True)
    """
    thread = act_when(lambda: len(list_starts(folder)) == 2, lambda: cluster.kill(1))
    supervise(make_launcher(folder, script), Policy(), pause=skip_pause)
    thread.join()
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "worker 1 was killed by signal 9 (OOMKilled); restart 1" in caplog.text
    assert cluster.left() == []


@pytest.mark.long
def test_all_pods_restart_after_one_is_evicted(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = "wait_for_all(2); time.sleep(600 if attempt == 0 else 0)"
    thread = act_when(lambda: len(list_starts(folder)) == 2, lambda: cluster.evict(0))
    supervise(make_launcher(folder, script), Policy(), pause=skip_pause)
    thread.join()
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "worker 0 was killed by signal " in caplog.text
    assert cluster.left() == []


@pytest.mark.long
def test_pods_of_a_node_that_does_not_answer_are_not_forgotten(
    cluster: FakeCluster,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each attempt deletes and names them again; they end when the node is back."""
    module = "components.distributed_trainer.kubernetes.attempt"
    monkeypatch.setattr(f"{module}._DELETION_SECONDS", 0.3)
    script = """
    wait_for_all(2)
    if attempt == 0: time.sleep(1 if task == 0 else 600); report("Unavailable", lost_peer=True)
    """

    def fence() -> None:
        cluster.kubelet.fenced.add(cluster.workers()[1]["metadata"]["name"])

    thread = act_when(lambda: len(list_starts(folder)) == 2, fence)
    supervise(make_launcher(folder, script), Policy(), pause=skip_pause)
    thread.join()
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    [job] = cluster.of_kind("jobs")
    name = job["metadata"]["name"]
    assert caplog.text.count(f"Job {name}: some of its pods still exist") == 2
    cluster.kubelet.fenced.clear()
    wait_until(lambda: cluster.left() == [], 20)


def test_a_training_goes_on_while_the_api_is_away(cluster: FakeCluster, folder: Path) -> None:
    def be_away() -> None:
        cluster.down = True
        time.sleep(2)
        cluster.down = False

    thread = act_when(lambda: len(list_starts(folder)) == 2, be_away)
    supervise(make_launcher(folder, "time.sleep(3)"), Policy(), pause=skip_pause)
    thread.join()
    assert list_starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


def test_a_data_error_of_a_pod_is_raised_without_a_restart(
    cluster: FakeCluster, folder: Path
) -> None:
    """Although a peer fails first, and the report exceeds a termination message."""
    script = """
    wait_for_all(2)
    if task == 0: report("UnavailableError: gone", lost_peer=True)
    time.sleep(1)
    report("label is constant: " + "ä" * 5000, hint="look", exit_code=3)
    """
    with pytest.raises(DataError, match=r"label is constant: ä{300,} \.\.\.$") as caught:
        supervise(make_launcher(folder, script), Policy(), pause=skip_pause)
    assert caught.value.hint == "look"
    assert list_starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


def test_the_steps_of_hung_pods_are_known_and_all_pods_restart(
    cluster: FakeCluster, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Meanwhile all log streams are cut, and the API server is down for a moment."""
    script = """
    wait_for_all(2)
    for step in range(8 if attempt == 0 else 1): steps(step - task); time.sleep(0.4)
    if attempt == 0: time.sleep(600)
    """

    def disturb() -> None:
        cluster.cut += 1
        for log in cluster.logs.values():
            log.append("unable to retrieve container logs")
        cluster.down = True
        time.sleep(0.8)
        cluster.down = False

    thread = act_when(lambda: len(list_starts(folder)) == 2, disturb)
    supervise(make_launcher(folder, script), Policy(stall_seconds=4), pause=skip_pause)
    thread.join()
    assert list_starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert "progress in 4 s: worker 0 at step 7, worker 1 at step 6; restart" in caplog.text


@pytest.mark.parametrize(
    ("workers", "missing", "reason"),
    [
        ({"node_selector": {"pool": "gpu"}}, "", "nodes are available: 1 node(s) didn't match"),
        ({"image": "typo:1"}, "typo:1", 'ImagePullBackOff: Back-off pulling image "typo:1"'),
    ],
)
def test_the_message_says_why_a_pod_stays_pending(
    workers: dict[str, Any], missing: str, reason: str, cluster: FakeCluster, folder: Path
) -> None:
    cluster.kubelet.missing_images = {missing}
    with pytest.raises(ConfigError) as caught:
        supervise(
            make_launcher(folder, "", pending_seconds=2, **workers), Policy(stall_seconds=0.5)
        )
    assert caught.value.message.startswith("worker 0 has not started in 2 s: ")
    assert reason in caught.value.message
    assert "pending_seconds" in caught.value.hint
    assert cluster.left() == []


@pytest.mark.long
def test_the_time_in_a_queue_does_not_delay_the_end_of_abandoned_workers(
    cluster: FakeCluster, folder: Path
) -> None:
    cluster.queueing = True
    attempt = make_launcher(folder, "time.sleep(600)", abandoned_seconds=5).start()
    waited = _watch(attempt, seconds=8)
    [job] = cluster.of_kind("jobs")
    slack = 2 * waited.longest_pause + 2  # From one renewal of the deadline to the next.
    assert job["spec"]["activeDeadlineSeconds"] <= 5 + slack
    cluster.queueing = False
    worked = _watch(attempt, seconds=2.5)
    attempt.stop()
    assert 5 < job["spec"]["activeDeadlineSeconds"] <= 5 + worked.seconds + slack


@dataclass
class _Watch:
    seconds: float
    longest_pause: float


def _watch(attempt: KubernetesAttempt, seconds: float) -> _Watch:
    """Asks for the statuses as the supervisor does, and measures how busy this machine is."""
    begin = last = time.monotonic()
    longest = 0.0
    while last - begin < seconds:
        attempt.read_statuses()
        time.sleep(0.1)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return _Watch(last - begin, longest)


def test_the_message_quotes_the_jobs_warning_when_no_pod_was_made(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(job: dict[str, Any], index: int) -> None:
        about = {"kind": "Job", "name": job["metadata"]["name"]}
        message = "pods is forbidden: exceeded quota: gpus"
        event = {"type": "Warning", "reason": "FailedCreate", "message": message}
        name = f"{about['name']}.{index}"
        cluster.add("events", {"metadata": {"name": name}, "involvedObject": about, **event})

    monkeypatch.setattr(cluster, "_add_pod", refuse)
    with pytest.raises(ConfigError, match="FailedCreate: pods is forbidden: exceeded quota: gpus"):
        supervise(make_launcher(folder, "", pending_seconds=1), Policy())
    assert cluster.left() == []
