"""The running mode of Beam depends on rows and cores, unless the configuration sets one."""

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
def test_worker_processes_start_only_where_rows_and_cores_outweigh_their_cost(rows, cores, mode):
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
def test_flags_with_a_mode_or_another_runner_are_unchanged(flags):
    assert add_running_mode(flags, 10**9, 16) == flags


def test_only_the_rows_of_the_given_splits_are_counted():
    examples = standard_artifacts.Examples()
    assert count_rows(examples, ["train"]) == 0
    examples.set_string_custom_property("rows", '{"train": 8, "eval": 1, "test": 2}')
    assert count_rows(examples, ["train", "test"]) == 10


def test_the_configured_number_of_workers_is_kept() -> None:
    flags = [RUNNER, "--direct_num_workers=2"]
    assert add_running_mode(flags, 10**8, 16) == [*flags, "--direct_running_mode=multi_processing"]
    assert add_running_mode(flags, 10**6, 16) == [*flags, "--direct_running_mode=in_memory"]
