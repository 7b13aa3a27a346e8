"""The section `beam`."""

from pathlib import Path

import apache_beam as beam
import pytest

from pipeline.config import load_config
from pipeline.config.sections.beam import RUNNER
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_the_default_runner_stays_in_this_process(capfd: pytest.CaptureFixture[str]) -> None:
    """Newer Beam's DirectRunner would first try to download a server."""
    pipeline = beam.Pipeline(argv=[RUNNER])
    assert type(pipeline.runner).__name__ == "FnApiRunner"
    _ = pipeline | beam.Create([1, 2, 3]) | beam.CombineGlobally(sum) | beam.Map(print)
    pipeline.run().wait_until_finish()
    assert capfd.readouterr().out == "6\n"


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("beam.components.Transfrom=[--x=1]", "did you mean 'Transform'?"),
        ("beam.components.Trainer=[--x=1]", "unknown key"),
        ("beam.components.Transform=[direct_num_workers=2]", "beam.components.Transform"),
        ("beam.args=[-x]", "beam.args"),
        ("beam.args=[--direct_running_mode=multi]", "in_memory|multi_threading|multi_processing"),
        ("beam.args=[--direct_num_workrs=2]", "is not valid for the local runner"),
        ("beam.args=[--nonsense=3]", "beam.args: neither Beam nor the local runner has a flag"),
        ("beam.args=[--runer=FlinkRunner]", "did you mean --runner"),
        ("beam.components.Transform=[--num_worker=2]", "beam.components.Transform: "),
        ("beam.components.Transform=[--direct_num_workers=x]", "--direct_num_workers=[0-9]+"),
    ],
)
def test_unknown_flags_are_refused(assignment: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load_config([TAXI], [assignment])
    assert words in f"{refusal.value.message} {refusal.value.hint}"


@pytest.mark.parametrize(
    "flags",
    [
        "[--temp_location=/tmp/beam, --experiments=use_deprecated_read]",
        "[--runner=apache_beam.runners.direct.direct_runner.DirectRunner, --direct_num_workers=2]",
        "[--runner=FlinkRunner, --checkpointing_interval=60000]",
    ],
)
def test_flags_that_beam_or_another_runner_reads_are_accepted(flags: str) -> None:
    assert load_config([TAXI], [f"beam.args={flags}"]).beam.args
    assert load_config([TAXI], [f"beam.components.Evaluator={flags}"]).beam.components.Evaluator
