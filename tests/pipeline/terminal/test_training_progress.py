"""The lines and sentences about training."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from recorded_run import PROGRESS

from pipeline.core.events import (
    BatchesPlanned,
    OtherBackupFound,
    PartFailed,
    PartStarted,
    PartsWeighed,
    SettingsUnread,
    TrainingEnded,
    TrainingResumed,
    WarmStarted,
    WarmupTooLong,
    WorkersRestarted,
)
from pipeline.terminal.training_progress import (
    describe_batches,
    describe_failed_part,
    describe_long_warmup,
    describe_other_backup,
    describe_part,
    describe_restart,
    describe_resumption,
    describe_training_end,
    describe_unread,
    describe_warm_start,
    describe_weights,
    format_progress,
    format_seconds,
)

BATCHES = BatchesPlanned(
    train_examples=5000,
    eval_examples=500,
    global_batch_size=1024,
    batch_size=1024,
    steps_per_epoch=4,
    replicas=1,
    asked=1024,
    micro_batch_size=None,
)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, ""),
        ({"micro_batch_size": 2048}, ""),
        ({"micro_batch_size": 100}, "1,024 examples a step, 100 at a time"),
        (
            {"replicas": 2, "batch_size": 512, "micro_batch_size": 64},
            "1,024 examples a step, 512 on each of 2 replicas, 64 at a time",
        ),
        (
            {"asked": 4096},
            "1,024 examples a step, not 4,096, since split train has 5,000",
        ),
        (
            {"asked": 1025, "replicas": 2, "batch_size": 512},
            "1,024 examples a step, 512 on each of 2 replicas, "
            "not 1,025, since each replica gets the same number",
        ),
    ],
)
def test_batches_are_described_only_if_they_differ_from_the_configured_size(
    fields: dict[str, Any], sentence: str
) -> None:
    assert describe_batches(replace(BATCHES, **fields)) == sentence


def test_lost_workers_and_a_warm_start_are_described() -> None:
    lost = WorkersRestarted("worker 1 was killed by signal 9", seconds=2.0)
    sentence = describe_restart(lost)
    assert sentence == "worker 1 was killed by signal 9; all workers start again in 2 s"
    start = WarmStarted(served_weights=6, weights=19)
    assert describe_warm_start(start) == "starts from 6 of its 19 weights in the served model"
    assert "from new weights" in describe_warm_start(replace(start, served_weights=0))


def test_the_end_of_a_training_names_the_epoch_that_is_kept() -> None:
    trained = TrainingEnded(97, last_epoch=19, best_epoch=6, best_loss=0.4, best_eval_loss=0.453)
    assert describe_training_end(trained) == (
        "ended after epoch 19 of 97, epoch 6 is kept: eval loss 0.4530"
    )
    assert describe_training_end(replace(trained, time_limit=600.0)) == (
        "ended after epoch 19 of 97 at the time limit of 600 s, epoch 6 is kept: eval loss 0.4530"
    )


def test_a_warm_up_beyond_the_end_names_both_numbers_of_steps() -> None:
    sentence = describe_long_warmup(WarmupTooLong(warmup_steps=1_000_000, steps=6014))
    assert "warmup_steps is 1,000,000, and there are 6,014 steps in all" in sentence


def test_training_resumes_after_an_epoch_or_within_an_epoch() -> None:
    assert describe_resumption(TrainingResumed(epoch=4, step=0)).endswith(
        "after epoch 4, from its backup"
    )
    within = describe_resumption(TrainingResumed(epoch=4, step=7))
    assert within == "Trainer goes on after step 7 of epoch 5, from its backup"


def test_a_backup_of_another_training_is_named() -> None:
    sentence = describe_other_backup(OtherBackupFound(directory="out/backups/3f"))
    assert sentence.startswith("starts from the beginning: out/backups/3f has a backup, but of a")


def test_a_progress_line_shows_as_much_as_fits() -> None:
    progress = next(event for event in PROGRESS if event.epoch == 2)
    parts = ("epoch 2 of 12", "ETA 6 s", "loss 0.4196", "step 32 of 47", "217,006 examples/s")
    whole = format_progress(progress)
    assert all(part in whole for part in parts)
    for width in range(120):
        line = format_progress(progress, width)
        assert len(line) <= width
        # A part is shown only with all more important parts.
        shown = [part in line for part in parts]
        assert shown == sorted(shown, reverse=True)


def test_a_training_of_trees_counts_iterations_and_no_steps() -> None:
    progress = replace(PROGRESS[0], epoch=40, epochs=2000, unit="iteration")
    line = format_progress(progress)
    assert "iteration 40 of 2000" in line
    assert "step" not in line
    resumed = describe_resumption(TrainingResumed(epoch=100, step=0, unit="iteration"))
    assert resumed == "Trainer goes on after iteration 100, from its backup"
    ended = TrainingEnded(2000, 90, 40, 0.4, 0.5, "iteration")
    assert describe_training_end(ended) == (
        "ended after iteration 90 of 2000, iteration 40 is kept: eval loss 0.5000"
    )


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (1, "a.0: "),
        (4, "a.0, a.1, a.2, a.3: "),
        (5, "a.3, and 1 more key: "),
        (6, "a.3, and 2 more keys: "),
    ],
)
def test_keys_without_effect_are_named_or_counted(count: int, named: str) -> None:
    sentence = describe_unread(SettingsUnread(keys=[f"a.{i}" for i in range(count)]))
    assert sentence.startswith("does not read a.0")
    assert f"{named}a model of trees alone has no use" in sentence


def test_sentences_tell_of_the_parts_of_a_blend() -> None:
    assert describe_part(PartStarted("trees", 2, 4, 6)) == "trains trees 2, part 4 of 6"
    failed = PartFailed("network", 1, "the loss is NaN")
    assert describe_failed_part(failed) == "goes on without network 1: the loss is NaN"
    weighed = PartsWeighed({"network 1": 0.25, "trees 1": 0.75}, 0.41234)
    assert describe_weights(weighed) == (
        "blends its parts, network 1 0.25, trees 1 0.75: eval loss 0.4123"
    )


def test_seconds_read_as_on_a_stop_watch() -> None:
    shown = [format_seconds(seconds) for seconds in (0.04, 4.9, 59.94, 59.96, 65, 3599.9, 7425)]
    assert shown == ["0.0 s", "4.9 s", "59.9 s", "1:00", "1:05", "1:00:00", "2:03:45"]
