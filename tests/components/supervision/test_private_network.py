"""Who reaches the workers of one machine, and what they are told who cannot be kept out."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from pathlib import Path

import pytest
from scripted_workers import make_command, make_launcher, skip_pause

from components.supervision import private_network
from components.supervision.failure_report import FailureReport
from components.supervision.private_network import PrivateNetwork, explain_missing_network
from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.events import WorkersExposed


@pytest.fixture
def allowed() -> None:
    try:
        PrivateNetwork().close()
    except OSError as error:
        pytest.skip(f"this machine allows no private network: {error}")


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    error = "PermissionError: [Errno 1] Operation not permitted"
    failing = (sys.executable, "-c", f"import sys; sys.exit({error!r})")
    monkeypatch.setattr(private_network, "_PYTHON", failing)


def list_open_namespaces() -> list[str]:
    """Returns the namespaces that this process holds open; threads of other tests hold none."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return [link for link in links if link.startswith(("user:", "net:"))]


def test_a_network_that_cannot_be_entered_counts_as_unavailable(
    allowed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container may allow `unshare` and refuse `setns`."""
    before, script = list_open_namespaces(), private_network._PYTHON[-1]
    code = f"""
import runpy, sys
if sys.argv[1:]: sys.exit("PermissionError: setns")
runpy.run_path({script!r}, run_name="__main__")
"""
    monkeypatch.setattr(private_network, "_PYTHON", (sys.executable, "-c", code))
    with pytest.raises(OSError, match=r"^PermissionError: setns$"):
        PrivateNetwork()
    assert list_open_namespaces() == before


_TALK = """
import socket
cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
ports = [int(address.rpartition(":")[2]) for address in cluster["worker"]]
server = socket.create_server(("", ports[task]))
open(f"{folder}/../listens-{task}", "w").close()
while not os.path.exists(f"{folder}/../listens-{1 - task}"): time.sleep(0.05)
socket.create_connection(("localhost", ports[1 - task]))
json.dump(ports, open(f"{folder}/../part-{task}", "w"))
os.replace(f"{folder}/../part-{task}", f"{folder}/../ports-{task}")
while not os.path.exists(f"{folder}/../end"): time.sleep(0.05)
"""


def _find_reachable(ports: list[int]) -> list[int]:
    def is_reachable(port: int) -> bool:
        with socket.socket() as stranger:
            return stranger.connect_ex(("127.0.0.1", port)) == 0

    return [port for port in ports if is_reachable(port)]


@pytest.mark.parametrize("choice", ["auto", "never"])
def test_the_workers_of_a_private_network_reach_each_other_and_nobody_else_does(
    choice: private_network.PrivateNetworkChoice, allowed: None, tmp_path: Path
) -> None:
    """The workers listen on all addresses, as TensorFlow does."""
    folder = tmp_path / "starts"
    folder.mkdir()
    command = make_command(_TALK)
    attempt = ProcessLauncher(
        json.dumps(str(folder)), {"worker": 2}, command, network=choice
    ).start()
    files = [tmp_path / f"ports-{task}" for task in range(2)]
    while not all(file.exists() for file in files):
        assert not any(worker.exit_code for worker in attempt.read_statuses())
    ports = json.loads(files[0].read_text())
    reachable = _find_reachable(ports)
    (tmp_path / "end").touch()
    while any(worker.exit_code is None for worker in attempt.read_statuses()):
        pass
    assert [worker.exit_code for worker in attempt.read_statuses()] == [0, 0]
    attempt.stop()
    assert reachable == (ports if choice == "never" else [])


def test_open_ports_are_named_where_no_private_network_is_allowed(
    refused: None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events, folder = tmp_path / "events.jsonl", tmp_path / "starts"
    monkeypatch.setenv(EVENTS_VARIABLE, str(events))
    folder.mkdir()
    script = "open(f'{folder}/../config', 'w').write(os.environ['TF_CONFIG'])"
    supervise(make_launcher(folder, script), Policy())
    workers = json.loads((tmp_path / "config").read_text())["cluster"]["worker"]
    ports = [int(address.rpartition(":")[2]) for address in workers]
    [event] = map(json.loads, events.read_text().splitlines())
    assert event["ports"] == ports
    assert f"Whoever reaches TCP ports {ports[0]}, {ports[1]} of this machine" in caplog.text
    assert "this machine allows no private network: PermissionError: [Errno 1]" in caplog.text


def test_a_training_that_must_have_a_private_network_does_not_start_without(
    refused: None, tmp_path: Path
) -> None:
    launcher = ProcessLauncher("", {"worker": 2}, ["false"], network="always")
    with pytest.raises(ConfigError, match="allows no private network: Perm") as caught:
        supervise(launcher, Policy())
    assert "training.private_network: auto" in caught.value.hint


def test_processes_without_a_server_keep_the_network_of_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "network"
    command = [
        sys.executable,
        "-c",
        f"import os; os.symlink(os.readlink('/proc/self/ns/net'), {str(path)!r})",
    ]
    supervise(ProcessLauncher("", {"worker": 1}, command, network=None), Policy())
    assert os.readlink(path) == os.readlink("/proc/self/ns/net")


@pytest.mark.parametrize(
    "request_", ["http://example.com", "http://192.0.2.1"], ids=["name", "address"]
)
def test_code_that_needs_the_internet_fails_with_a_hint_at_the_private_network(
    request_: str, allowed: None
) -> None:
    work = f"""
import urllib.request
from components.supervision.worker import run_supervised
opener = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
run_supervised(lambda job: opener.open({request_!r}, timeout=20))
"""
    launcher = ProcessLauncher("", {"worker": 1}, [sys.executable, "-c", work])
    with pytest.raises(PipelineError, match="URLError") as caught:
        supervise(launcher, Policy(max_restarts=0), skip_pause)
    assert "training.private_network to never" in caught.value.hint


def test_other_failures_keep_their_report() -> None:
    for report in (
        FailureReport("ValueError: too long"),
        FailureReport("OSError: Network is unreachable", hint="ask the operator"),
    ):
        assert explain_missing_network(report) == report


def test_a_closed_network_leaves_no_descriptor_open(allowed: None) -> None:
    before = list_open_namespaces()
    network = PrivateNetwork()
    assert len(list_open_namespaces()) == len(before) + len(network.descriptors)
    network.close()
    assert list_open_namespaces() == before


def test_the_sentence_for_the_terminal_names_ports_and_reason() -> None:
    sentence = WorkersExposed(ports=[40001, 40002], reason="no rights").sentence
    assert "ports 40001, 40002 of this machine" in sentence
    assert "(no rights)" in sentence
