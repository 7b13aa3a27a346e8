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
    runner, *others = list_shared_flags(config)
    assert runner == RUNNER
    assert [flag for flag in others if not flag.startswith("--runner=")] == [*expected]


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


@pytest.mark.parametrize(
    "name", ["DirectRunner", "apache_beam.runners.direct.direct_runner.DirectRunner"]
)
def test_a_direct_runner_stays_in_this_process(name: str) -> None:
    """Newer Beam's DirectRunner would first try to download a server."""
    flag = f"--runner={name}"
    config = load_config([TAXI], [f"beam.args=[{flag}]", f"beam.components.Evaluator=[{flag}]"])
    flags = [*list_shared_flags(config), *list_own_flags(config, "Evaluator")]
    assert {f for f in flags if f.startswith("--runner=")} == {RUNNER}
    engine = load_config([TAXI], [*FLINK, f"beam.components.Evaluator=[{flag}]"])
    assert list_own_flags(engine, "Evaluator")[-1] == RUNNER


def test_a_job_on_this_machine_needs_no_name() -> None:
    assert list_own_flags(load_config([TAXI]), "Evaluator") == ()
