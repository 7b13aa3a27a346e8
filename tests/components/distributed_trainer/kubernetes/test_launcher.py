"""The supervisor over pods of a fake Kubernetes; Python scripts play the trainer's part."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_cluster import FakeCluster

from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from components.distributed_trainer.supervisor import Policy, supervise
from pipeline.config import ConfigError, DataError, PipelineError, WorkersConfig

PRELUDE = """
import json, os, sys, time
type_, task = json.loads(os.environ["TF_CONFIG"])["task"].values()
folder = json.loads(sys.stdin.readline())
me = f"{task}-" if type_ == "worker" else f"{type_}{task}-"
attempt = len([n for n in os.listdir(folder) if n.startswith(me)])
open(f"{folder}/{me}{attempt}", "w").write(str(os.getpid()))
def steps(count):
    with open(os.environ["PIPELINE_STEPS"] + ".part", "w") as file:
        json.dump([count, count], file)
    os.replace(os.environ["PIPELINE_STEPS"] + ".part", os.environ["PIPELINE_STEPS"])
def report(message, **fields):
    with open(os.environ["PIPELINE_REPORT"], "w") as file:
        json.dump({"message": message, **fields}, file)
    sys.exit(1)
def wait_for_all(count):
    while len(os.listdir(folder)) < count * (attempt + 1): time.sleep(0.05)
"""
TRAINER = """
import json, logging, signal, sys
from components.distributed_trainer.kubernetes.api import Api
from components.distributed_trainer.kubernetes.launcher import KubernetesLauncher
from components.distributed_trainer.supervisor import Policy, supervise
from pipeline.config import WorkersConfig

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, interrupt)
logging.basicConfig()
job, workers, command = json.loads(sys.argv[1])
supervise(
    KubernetesLauncher(
        Api.connect(), job, "key", {"worker": 2}, WorkersConfig(**workers), command
    ),
    Policy(),
)
"""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCluster]:
    with FakeCluster(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig()))
        monkeypatch.setenv("KFP_POD_NAME", "trainer")
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        yield cluster
        assert cluster.invalid == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where each start of a worker leaves a file."""
    path = tmp_path / "starts"
    path.mkdir()
    return path


def command(script: str) -> list[str]:
    return [sys.executable, "-c", PRELUDE + textwrap.dedent(script)]


def launcher(
    folder: Path, script: str, tasks: dict[str, int] | None = None, **workers: Any
) -> KubernetesLauncher:
    api = Api.connect(patience_seconds=3)
    config = WorkersConfig.model_validate(workers)
    tasks = tasks or {"worker": 2}
    return KubernetesLauncher(api, json.dumps(str(folder)), "key", tasks, config, command(script))


def starts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def no_pause(_: float) -> None:
    pass


def wait(condition: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def meanwhile(condition: Callable[[], Any], act: Callable[[], Any]) -> threading.Thread:
    """Acts as soon as the condition holds, beside the supervisor."""

    def run() -> None:
        wait(condition)
        act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


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


@pytest.mark.parametrize(
    ("workers", "missing", "told"),
    [
        ({"node_selector": {"pool": "gpu"}}, "", "nodes are available: 1 node(s) didn't match"),
        ({"image": "typo:1"}, "typo:1", 'ImagePullBackOff: Back-off pulling image "typo:1"'),
    ],
)
def test_what_stays_pending_is_told_with_its_reason(
    workers: dict[str, Any], missing: str, told: str, cluster: FakeCluster, folder: Path
) -> None:
    cluster.kubelet.missing_images = {missing}
    with pytest.raises(ConfigError) as caught:
        supervise(launcher(folder, "", pending_seconds=2, **workers), Policy(stall_seconds=0.5))
    assert caught.value.message.startswith("worker 0 has not started in 2 s: ")
    assert told in caught.value.message
    assert "pending_seconds" in caught.value.hint
    assert cluster.left() == []


def test_a_pod_that_was_never_made_is_told_by_the_warning_about_its_job(
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
        supervise(launcher(folder, "", pending_seconds=1), Policy())
    assert cluster.left() == []


@pytest.mark.parametrize(
    "right",
    ["get pods", "list jobs", "create jobs", "create services", "list pods", "get pods/log"],
)
def test_a_missing_right_is_named_with_what_gives_it(
    right: str, cluster: FakeCluster, folder: Path
) -> None:
    verb, resource = right.split()
    cluster.rules = [
        {"apiGroups": rule["apiGroups"], "resources": [each], "verbs": [allowed]}
        for rule in cluster.rules
        for each in rule["resources"]
        for allowed in rule["verbs"]
        if (allowed, each) != (verb, resource)
    ]
    with pytest.raises(ConfigError) as caught:
        supervise(launcher(folder, "time.sleep(600)"), Policy())
    assert caught.value.message == (
        f"Kubernetes lets system:serviceaccount:team:pipeline-runner not {verb} resource "
        f'"{resource}" in API group "{"batch" if resource == "jobs" else ""}" in the namespace '
        f'"team"'
    )
    assert "kubectl apply -n team -f deploy/kubernetes/trainer.yaml" in caught.value.hint
    assert cluster.left() == []


def test_every_right_that_the_manifest_gives_is_used(cluster: FakeCluster, folder: Path) -> None:
    """By a training that has lived a while, its leftovers, and a pod that waits."""
    attempt = launcher(folder, "time.sleep(600)", abandoned_seconds=5).start()
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline:
        attempt.look()
        time.sleep(0.2)
    with pytest.raises(ConfigError, match="has not started"):
        supervise(launcher(folder, "", pending_seconds=1, node_selector={"a": "b"}), Policy())
    named = {"GET": "get", "POST": "create", "PATCH": "patch", "DELETE": "delete"}
    used = set()
    for request in cluster.requests:
        method, _, path = request.partition(" ")
        kind, *rest = path.partition("/namespaces/team/")[2].split("/")
        verb = "list" if method == "GET" and not rest else named[method]
        used.add(("/".join([kind, *rest[1:]]), verb))
    given = {(r, v) for rule in cluster.rules for r in rule["resources"] for v in rule["verbs"]}
    assert used == given


def test_an_unknown_token_is_told(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig("old")))
    with pytest.raises(ConfigError, match=r"does not know who asks: Unauthorized"):
        supervise(launcher(folder, ""), Policy())


def test_a_server_that_cannot_be_reached_is_told(cluster: FakeCluster, folder: Path) -> None:
    cluster.down = True
    with pytest.raises(PipelineError, match=r"at http://127.*cannot be reached: apiserver is shut"):
        supervise(launcher(folder, ""), Policy())


def test_what_was_created_unheard_is_not_created_twice(cluster: FakeCluster, folder: Path) -> None:
    cluster.answers_to_lose = 3
    supervise(launcher(folder, ""), Policy())
    assert cluster.answers_to_lose == 0
    assert starts(folder) == ["0-0", "1-0"]
    assert cluster.left() == []


def test_who_is_not_in_a_pod_is_told(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KFP_POD_NAME", "laptop")
    with pytest.raises(ConfigError, match="no pod laptop in namespace team"):
        supervise(launcher(folder, ""), Policy())


@pytest.mark.parametrize("variable", ["KUBECONFIG", "KUBERNETES_SERVICE_HOST"])
def test_no_way_to_kubernetes_is_told(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No kubeconfig; a pod without a token."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.setenv(variable, "/none")
    with pytest.raises(ConfigError, match="no way to the API of Kubernetes") as caught:
        Api.connect()
    assert "automountServiceAccountToken" in caught.value.hint


def test_what_kubernetes_refuses_is_told(cluster: FakeCluster, folder: Path) -> None:
    workers = {"volumes": [{"claim": "a", "path": "/a"}, {"claim": "b", "path": "/a"}]}
    with pytest.raises(ConfigError, match="refuses the workers: Job is invalid: two mounts at"):
        supervise(launcher(folder, "", **workers), Policy())
    assert cluster.left() == []
    cluster.invalid.clear()


def trainer(folder: Path, script: str, **workers: Any) -> subprocess.Popen[bytes]:
    """A Trainer that is a process of its own."""
    arguments = json.dumps([json.dumps(str(folder)), workers, command(script)])
    return subprocess.Popen([sys.executable, "-c", TRAINER, arguments])


def test_a_trainer_that_is_asked_to_end_leaves_nothing(cluster: FakeCluster, folder: Path) -> None:
    process = trainer(folder, "time.sleep(600)")
    wait(lambda: len(starts(folder)) == 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) != 0
    assert cluster.left() == []
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())


def test_a_dead_trainer_leaves_its_workers_for_a_while_only(
    cluster: FakeCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it lives, they do too, beyond that while; who comes next ends the rest."""
    script = "time.sleep(600 if attempt == 0 else 0)"
    process = trainer(folder, script, abandoned_seconds=5)
    wait(lambda: len(starts(folder)) == 2)
    time.sleep(7)
    assert len(cluster.workers()) == 2
    cluster.add_trainer("other")
    monkeypatch.setenv("KFP_POD_NAME", "other")
    with pytest.raises(ConfigError, match="pod trainer is training the same model"):
        launcher(folder, script).start()
    process.kill()
    process.wait()
    wait(lambda: not cluster.workers(), 20)
    assert not any(is_alive(int(path.read_text())) for path in folder.iterdir())
    cluster.trainer["status"]["phase"] = "Failed"
    supervise(launcher(folder, script), Policy())
    assert starts(folder) == ["0-0", "0-1", "1-0", "1-1"]
    assert cluster.left() == []


def test_what_a_trainer_started_goes_with_its_pod(cluster: FakeCluster, folder: Path) -> None:
    process = trainer(folder, "time.sleep(600)")
    wait(lambda: len(starts(folder)) == 2)
    process.kill()
    process.wait()
    cluster.remove_trainer()
    wait(lambda: cluster.left() == [], 20)
