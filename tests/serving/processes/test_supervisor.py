"""The server as a whole: switches, signals, and versions that cannot be loaded."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
import requests
from pushed_models import ROW, point_to
from running_server import ROOT, RunningServer

from pipeline.config.sections.serving import ServerConfig
from serving.command import bind
from serving.processes.sources import FixedSource
from serving.processes.supervisor import Supervisor

pytestmark = pytest.mark.slow


class Clients:
    """Threads that send requests until the context ends, and count what came back."""

    def __init__(self, server: RunningServer, threads: int = 4) -> None:
        self._server = server
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(threads)]
        self.answers: Counter[object] = Counter()
        self.orders: list[list[float]] = []

    def _ask(self) -> None:
        order: list[float] = []
        self.orders.append(order)
        with requests.Session() as session:
            url = f"{self._server.address}/v1/models/tiny:predict"
            while not self._stop.is_set():
                try:
                    answer = session.post(url, json={"instances": [ROW] * 3}, timeout=60)
                    found = {p["probability"] for p in answer.json()["predictions"]}
                except (requests.RequestException, KeyError, ValueError) as error:
                    self.answers[repr(error)] += 1
                    continue
                self.answers[(answer.status_code, tuple(sorted(found)))] += 1
                order += found

    def __enter__(self) -> Counter[object]:
        for thread in self._threads:
            thread.start()
        return self.answers

    def __exit__(self, *unused: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_switches_under_load_fail_no_request_and_mix_none(serving: Path) -> None:
    """Forth, back, forth, with a version between that cannot be loaded."""
    arguments = ("--model", serving, "--workers", "2", "--no-access-log")
    with RunningServer(*arguments) as server:
        with Clients(server) as answers:
            server.wait_for(lambda: answers[(200, (0.13,))] > 20)
            point_to(serving, "2")
            server.wait_for(lambda: answers[(200, (0.43,))] > 20)
            point_to(serving, "1")
            server.wait_for(lambda: "version 1," in "".join(server.lines[-2:]))
            broken = serving / "3"
            broken.mkdir()
            (broken / "saved_model.pb").write_bytes(b"\x08")
            point_to(serving, "3")
            server.wait_for(lambda: server.get("/readyz").json()["problem"])
            state = server.get("/readyz")
            assert (state.status_code, state.json()["version"]) == (200, "1")
            assert "/3:" in state.json()["problem"]
            assert "model_server_version_refused 1.0" in server.get("/metrics").text
            before = answers[(200, (0.43,))]
            point_to(serving, "2")
            server.wait_for(lambda: answers[(200, (0.43,))] > before + 20)
            server.wait_for(lambda: not server.get("/readyz").json()["problem"])
        assert set(answers) == {(200, (0.13,)), (200, (0.43,))}
        assert "WARNING Version 1 goes on being served: " in server.output
        assert server.output.count("Serving tiny, version 2,") == 2


def test_a_damaged_pointer_is_told_and_the_version_goes_on(serving: Path) -> None:
    """Then a version that hangs while it is loaded neither hides nor delays the end."""
    right = json.loads((serving / "served.json").read_text())
    with RunningServer("--model", serving) as server:
        for text in ("{", json.dumps({**right, "files": None})):
            (serving / "served.json").write_text(text)
            server.wait_for(lambda: server.get("/readyz").json()["problem"])
            assert "damaged" in server.get("/readyz").json()["problem"]
            assert server.predict(ROW).status_code == 200
            point_to(serving, "1")
            server.wait_for(lambda: not server.get("/readyz").json()["problem"])
        (serving / "3").mkdir()
        os.mkfifo(serving / "3" / "saved_model.pb")
        point_to(serving, "3")
        server.wait_for(lambda: server.get("/readyz").json()["loading"] == "3")
        status = server.get("/v1/models/tiny").json()["model_version_status"]
        assert [(s["version"], s["state"]) for s in status] == [
            ("1", "AVAILABLE"),
            ("3", "LOADING"),
        ]
        assert server.predict(ROW).status_code == 200
        started = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - started < 20  # Not the 30 s of drain_seconds.


def test_a_server_whose_output_nobody_reads_goes_on(serving: Path, tmp_path: Path) -> None:
    """As with `serve | head -1`: predictions, switches and replaced workers."""
    command = [sys.executable, "-m", "pipeline", "serve", "--port", "0", "--model", str(serving)]
    errors = tmp_path / "errors"
    with (
        errors.open("wb") as log,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        ) as server,
    ):
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        server.stdout.close()

        def version() -> object:
            with contextlib.suppress(requests.ConnectionError):
                return requests.get(f"{address}/readyz", timeout=60).json()["version"]

        def wait_for_version(wanted: str) -> None:
            until = time.monotonic() + 60
            while version() != wanted:
                assert time.monotonic() < until, errors.read_text()
                time.sleep(0.05)

        try:
            for wanted in ("1", "2", "1"):
                point_to(serving, wanted)
                wait_for_version(wanted)
                url = f"{address}/v1/models/tiny:predict"
                assert requests.post(url, json={"instances": [ROW]}, timeout=60).ok
                time.sleep(0.3)  # The access log is written.
            (worker,) = psutil.Process(server.pid).children()
            worker.kill()
            worker.wait(30)
            wait_for_version("1")
        finally:
            server.terminate()
        assert server.wait(60) == 0
    assert "Traceback" not in errors.read_text()


def test_sigterm_answers_what_has_begun(pushed: Path) -> None:
    with RunningServer("--model", pushed, "--no-access-log") as server:
        rows = {"instances": [ROW] * 9000}
        answers: list[requests.Response] = []
        begun = threading.Event()

        def slow_body() -> object:
            body = json.dumps(rows).encode()
            yield body[:1000]
            begun.set()
            threading.Event().wait(1.0)
            yield body[1000:]

        def ask() -> None:
            answers.append(server.post("/v1/models/tiny:predict", data=slow_body()))

        thread = threading.Thread(target=ask)
        thread.start()
        begun.wait(30)
        assert server.stop() == 0
        thread.join()
        assert answers[0].status_code == 200
        assert len(answers[0].json()["predictions"]) == 9000


def test_sigterm_while_processes_begin_ends_them_and_the_server_with_0(
    pushed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    settings = ServerConfig(workers=2, drain_seconds=600)
    before = set(psutil.Process().children())

    async def main(listener: socket.socket) -> int:
        supervisor = Supervisor("tiny", FixedSource(pushed / "1"), settings, listener, "", print)
        running = asyncio.create_task(supervisor.run())
        while set(psutil.Process().children()) == before:
            await asyncio.sleep(0)
        assert not supervisor._channels
        supervisor._end(0)  # As SIGTERM does.
        # Not the 605 s after which a process is killed that was not told to end.
        return await asyncio.wait_for(running, 120)

    with bind("127.0.0.1", 0) as listener:
        assert asyncio.run(main(listener)) == 0


def test_ctrl_c_ends_with_130(pushed: Path) -> None:
    with RunningServer("--model", pushed) as server:
        assert server.stop(signal.SIGINT) == 130
        assert "Traceback" not in server.output


def test_a_first_version_that_cannot_be_loaded_ends_the_server(serving: Path) -> None:
    (serving / "3").mkdir()
    (serving / "3" / "saved_model.pb").write_bytes(b"\x08")
    point_to(serving, "3")
    try:
        RunningServer("--model", serving)
    except AssertionError as error:
        output = str(error)
    assert f"Error: {serving}/3: " in output
    assert "Traceback" not in output
