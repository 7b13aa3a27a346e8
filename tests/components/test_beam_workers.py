"""Workers of Beam's local runner: only this machine reaches them, and a lost one ends the work."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from ipaddress import ip_address
from pathlib import Path

import apache_beam as beam
import psutil
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from components.beam_workers import guard_beam_workers
from pipeline.config.sections.beam import RUNNER

pytestmark = pytest.mark.slow


def run(path: Path, *steps: beam.PTransform, mode: str = "multi_processing") -> list[str]:
    """Returns the lines that a pipeline writes, whose work is done by two workers."""
    guard_beam_workers()
    guard_beam_workers()
    flags = [RUNNER, f"--direct_running_mode={mode}", "--direct_num_workers=2"]
    with beam.Pipeline(options=PipelineOptions(flags)) as pipeline:
        rows = pipeline | beam.Create(range(20)) | beam.Reshuffle()
        for number, step in enumerate(steps):
            rows = rows | str(number) >> step
        _ = rows | beam.io.WriteToText(str(path / "rows"), num_shards=1)
    [file] = path.iterdir()
    return file.read_text().splitlines()


@pytest.mark.parametrize(
    ("mode", "more"),
    [("multi_threading", 0), ("multi_processing", 2)],  # Two logs.
)
def test_the_ports_of_beams_workers_are_on_loopback_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: str, more: int
) -> None:
    runner = os.getpid()

    # Beam pickles a function within a function by its value: workers need not import this module.
    def list_ports(_: int) -> list[str]:
        found = psutil.Process(runner).net_connections(kind="tcp")
        listening = (one.laddr for one in found if one.status == psutil.CONN_LISTEN)
        return [f"{address.ip} {address.port}" for address in listening]

    before = set(list_ports(0))
    rows = run(tmp_path, beam.FlatMap(list_ports), mode=mode)
    opened = [line.split() for line in {*rows} - before]
    # gRPC writes an address of IPv4 as one of IPv6.
    addresses = [ip_address(address.removeprefix("::ffff:")) for address, _ in opened]
    assert all(address.is_loopback for address in addresses)
    [warning] = [r.getMessage() for r in caplog.records if "Beam's workers use" in r.getMessage()]
    named = {*warning.partition("ports ")[2].partition(" on")[0].split(", ")}
    assert len(named) == 4
    ports = {port for _, port in opened}
    assert named <= ports
    assert len(ports - named) == more


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGKILL, "137"), pytest.param(signal.SIGTERM, "143", marks=pytest.mark.long)],
)
def test_a_killed_worker_ends_the_work_with_an_error(
    tmp_path: Path, number: signal.Signals, code: str
) -> None:
    def kill(row: int) -> int:
        if row == 13:
            os.kill(os.getpid(), number)
        return row

    with pytest.raises(RuntimeError, match=f"Beam was lost.*code {code}"):
        run(tmp_path, beam.Map(kill))


def test_a_worker_that_is_lost_between_two_steps_ends_the_work(tmp_path: Path) -> None:
    def write_process(row: int) -> int:
        (tmp_path / f"worker-{os.getpid()}").touch()
        return row

    def kill_another(row: int) -> int:
        # The first worker to arrive here ends all others, which have nothing to do by now.
        for file in tmp_path.glob("worker-*"):
            pid = int(file.name.partition("-")[2])
            if pid != os.getpid() and psutil.pid_exists(pid):
                os.kill(pid, signal.SIGKILL)
        return row

    steps = beam.Map(write_process), beam.combiners.Count.Globally(), beam.Map(kill_another)
    with pytest.raises(
        RuntimeError, match="A worker process of Beam was lost, perhaps for lack of memory"
    ):
        run(tmp_path, *steps, beam.Reshuffle(), beam.Map(kill_another))


def find_workers() -> list[psutil.Process]:
    """Returns the shells of the workers; the process of the tests may have other children."""
    found = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += [child] if "sdk_worker_main" in " ".join(child.cmdline()) else []
    return found


@pytest.mark.long
@pytest.mark.parametrize("lost", [0, 1])  # The first step waits for one of them.
def test_a_worker_that_is_lost_while_all_are_starting_ends_the_work(
    tmp_path: Path, lost: int
) -> None:
    def kill_one() -> None:
        while len(workers := find_workers()) < 2:
            time.sleep(0.01)
        for process in [*workers[lost].children(recursive=True), workers[lost]]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    killer = threading.Thread(target=kill_one)
    killer.start()
    with pytest.raises(RuntimeError, match="A worker process of Beam was lost"):
        run(tmp_path, beam.Map(lambda row: row))
    killer.join()
    assert not find_workers()


@pytest.mark.long
def test_undisturbed_workers_do_their_work(tmp_path: Path) -> None:
    assert sorted(map(int, run(tmp_path, beam.Map(lambda row: row)))) == [*range(20)]
