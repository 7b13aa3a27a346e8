"""Beam's work by default."""

import apache_beam as beam
import pytest

from pipeline.config.beam import BeamConfig


def test_the_data_work_stays_in_this_process(capfd: pytest.CaptureFixture[str]) -> None:
    """Newer Beam's DirectRunner downloads a server and only falls back to what this asks for."""
    pipeline = beam.Pipeline(argv=list(BeamConfig().args))
    assert type(pipeline.runner).__name__ == "FnApiRunner"
    _ = pipeline | beam.Create([1, 2, 3]) | beam.CombineGlobally(sum) | beam.Map(print)
    pipeline.run().wait_until_finish()
    assert capfd.readouterr().out == "6\n"
