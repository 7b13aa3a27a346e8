"""What the number of rows and of cores makes of flags that leave the mode open."""

import pytest
from tfx.types import standard_artifacts

from components.beam_mode import add_running_mode, count_rows
from pipeline.config.sections.beam import RUNNER


@pytest.mark.parametrize(
    ("rows", "cores", "mode"),
    [
        (0, 2, "in_memory"),
        (15_000_000, 2, "in_memory"),
        (17_000_000, 2, "multi_processing"),
        (8_000_000, 16, "in_memory"),
        (9_000_000, 16, "multi_processing"),
        (10**9, 1, "in_memory"),
    ],
)
def test_processes_are_started_where_rows_and_cores_make_up_for_it(rows, cores, mode):
    chosen = add_running_mode([RUNNER], rows, cores)
    workers = [f"--direct_num_workers={cores}"] if mode == "multi_processing" else []
    assert chosen == [RUNNER, f"--direct_running_mode={mode}", *workers]


@pytest.mark.parametrize(
    "flags",
    [
        [RUNNER, "--direct_running_mode=multi_threading", "--direct_num_workers=3"],
        [RUNNER, "--runner=FlinkRunner"],
    ],
)
def test_the_configuration_goes_first(flags):
    assert add_running_mode(flags, 10**9, 16) == flags


def test_rows_are_those_of_the_splits_that_are_read():
    examples = standard_artifacts.Examples()
    assert count_rows(examples, ["train"]) == 0
    examples.set_string_custom_property("rows", '{"train": 8, "eval": 1, "test": 2}')
    assert count_rows(examples, ["train", "test"]) == 10


def test_the_number_of_workers_that_was_asked_for_is_kept() -> None:
    flags = [RUNNER, "--direct_num_workers=2"]
    assert add_running_mode(flags, 10**8, 16) == [*flags, "--direct_running_mode=multi_processing"]
    assert add_running_mode(flags, 10**6, 16) == [*flags, "--direct_running_mode=in_memory"]
