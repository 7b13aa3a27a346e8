"""A job of Beam returns the merged findings, from workers in this process and in others."""

from functools import partial

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from components.columnar_example_gen.on_workers.jobs import run_job
from components.columnar_example_gen.on_workers.work import CollectTypes
from components.columnar_example_gen.parts import Part
from pipeline.config import DataConfig
from pipeline.config.sections.beam import RUNNER

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "flags", [[], ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]]
)
def test_findings_of_all_parts_come_back_with_the_first_refusal(tmp_path, write, flags):
    texts = ("1\n", "2.5\n", "3,4\n", "5,6\n")
    parts = [Part(n, (write(f"{n}.csv", f"n\n{text}"),)) for n, text in enumerate(texts)]
    make_pipeline = partial(
        beam.Pipeline, options=PipelineOptions([RUNNER, "--sdk_container_image=none", *flags])
    )
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    work = CollectTypes(DataConfig(path=("t",)), ("n",))
    evidence, refusal = run_job(make_pipeline, parts, work, exchange)
    assert evidence.conclude() == {"n": "float"}
    assert refusal.part == 2
    assert refusal.message.endswith("2.csv:2: expected 1 cells, found 2")
    assert list(exchange.iterdir()) == []
