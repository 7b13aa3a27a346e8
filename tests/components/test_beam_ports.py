"""Beam's local runner with ports for its workers: only this machine reaches them."""

from __future__ import annotations

import os
from ipaddress import ip_address
from pathlib import Path

import apache_beam as beam
import psutil
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from components.beam_ports import keep_ports_on_loopback
from pipeline.config.sections.beam import RUNNER


def test_the_ports_of_beams_workers_are_on_loopback_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    runner = os.getpid()

    # Beam pickles a function within a function by its value: workers need not import this module.
    def list_ports(_: int) -> list[str]:
        found = psutil.Process(runner).net_connections(kind="tcp")
        listening = (one.laddr for one in found if one.status == psutil.CONN_LISTEN)
        return [f"{address.ip} {address.port}" for address in listening]

    before = set(list_ports(0))
    keep_ports_on_loopback()
    keep_ports_on_loopback()
    flags = [RUNNER, "--direct_running_mode=multi_threading"]
    with beam.Pipeline(options=PipelineOptions(flags)) as pipeline:
        ports = pipeline | beam.Create([1]) | beam.FlatMap(list_ports)
        _ = ports | beam.io.WriteToText(str(tmp_path / "ports"), num_shards=1)
    [file] = tmp_path.iterdir()
    opened = [line.split() for line in {*file.read_text().splitlines()} - before]
    # gRPC writes an address of IPv4 as one of IPv6.
    addresses = [ip_address(address.removeprefix("::ffff:")) for address, _ in opened]
    assert all(address.is_loopback for address in addresses)
    [warning] = [r.getMessage() for r in caplog.records if "Beam's workers use" in r.getMessage()]
    named = {*warning.partition("ports ")[2].partition(" on")[0].split(", ")}
    assert {port for _, port in opened} == named
    assert len(named) == 4
