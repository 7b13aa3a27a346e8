"""A runner adds a flag for Beam workers on this machine, and for no other workers."""

from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.runners.beam_args import extra_beam_args

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


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
    expected = ("--sdk_container_image=none",) if is_local else ()
    assert extra_beam_args(load_config([TAXI], assignments)) == expected
