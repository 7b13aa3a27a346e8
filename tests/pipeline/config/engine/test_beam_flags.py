"""The order of Beam's flags, and the flag for Beam workers on this machine."""

from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.config.engine.beam_flags import list_own_flags, list_shared_flags
from pipeline.config.sections.beam import RUNNER, uses_local_runner

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"
FLINK = [
    "engine.kind=flink",
    "engine.endpoint=jobserver:8099",
    "data.path=/mnt/data/taxi.csv",
]


@pytest.mark.parametrize(
    ("assignments", "is_local"),
    [
        ([], True),
        (['beam.args=["--runner=DirectRunner"]'], True),
        (['beam.args=["--runner=FlinkRunner"]'], False),
        (['beam.components.Evaluator=["--runner=FlinkRunner"]'], False),
    ],
)
def test_beam_workers_on_this_machine_need_no_package_of_tfx(
    assignments: list[str], is_local: bool
) -> None:
    config = load_config([TAXI], assignments)
    expected = ("--sdk_container_image=none",) if is_local else ()
    assert list_shared_flags(config) == (RUNNER, *expected, *config.beam.args)


def test_flags_of_experts_come_after_the_flags_of_the_engine() -> None:
    args = ["beam.args=[--environment_cache_millis=1]", "beam.components.Evaluator=[--x=2]"]
    config = load_config([TAXI], [*FLINK, *args])
    assert list_shared_flags(config) == (
        RUNNER,
        *config.engine.flags(),
        "--environment_cache_millis=1",
    )
    assert list_own_flags(config, "Evaluator") == ("--job_name=taxi-evaluator", "--x=2")


def test_a_component_can_stay_on_this_machine() -> None:
    own = "beam.components.ExampleGen=[--runner=DirectRunner]"
    config = load_config([TAXI], [*FLINK, own])
    shared = list_shared_flags(config)
    assert uses_local_runner([*shared, *list_own_flags(config, "ExampleGen")])
    assert not uses_local_runner([*shared, *list_own_flags(config, "Evaluator")])


def test_a_job_on_this_machine_needs_no_name() -> None:
    assert list_own_flags(load_config([TAXI]), "Evaluator") == ()
