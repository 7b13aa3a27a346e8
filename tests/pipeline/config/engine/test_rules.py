"""What contradicts the engine is refused, each by its key."""

from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"
FLINK = ["engine.kind=flink", "engine.endpoint=jobserver:8099"]
SHARED = "data.path=/mnt/data/*.csv"
DATAFLOW = [
    "engine.kind=dataflow",
    "engine.project=p",
    "engine.region=r",
    "engine.temp_location=gs://b/t",
    "engine.image=i",
]


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        ([*FLINK], "data.path: the workers of engine.kind flink have other working directories"),
        ([*FLINK, SHARED, "serving.directory=models"], "serving.directory: the workers"),
        (
            [*FLINK, SHARED, "prediction.input=/mnt/new.csv", "prediction.output=out"],
            "prediction.output: the workers",
        ),
        (
            [*FLINK, SHARED, "beam.args=[--runner=DirectRunner]"],
            "beam.args: --runner=DirectRunner contradicts engine.kind flink",
        ),
        ([*DATAFLOW, SHARED], "engine.kind: Dataflow's workers mount no volume"),
        ([*DATAFLOW, SHARED, "beam.args=[--num_wrkers=2]"], "did you mean"),
        ([*DATAFLOW, SHARED, "name=2-taxi"], "names of Dataflow's jobs begin with a letter"),
    ],
)
def test_what_contradicts_the_engine_is_refused(assignments: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load_config([TAXI], assignments)
    assert words in f"{refusal.value.message} {refusal.value.hint}"


def test_flags_of_the_job_server_are_not_known_here_and_pass() -> None:
    config = load_config([TAXI], [*FLINK, SHARED, "beam.args=[--checkpointing_interval=60000]"])
    assert config.beam.args == ("--checkpointing_interval=60000",)


def test_a_component_may_stay_on_this_machine() -> None:
    local = "beam.components.Evaluator=[--runner=DirectRunner]"
    assert load_config([TAXI], [*FLINK, SHARED, local]).beam.components.Evaluator


def test_keys_of_an_engine_that_is_switched_off_have_no_effect() -> None:
    config = load_config([TAXI], [*FLINK, "engine.kind=local"])
    assert config.engine.is_local
