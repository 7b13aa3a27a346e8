"""The sentences about training: where it goes on, and what became of the batch size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pipeline.core.events import (
    BatchesPlanned,
    TrainingEnded,
    TrainingResumed,
    WarmStarted,
    WarmupTooLong,
    WorkersRestarted,
)
from pipeline.terminal.training_progress import (
    describe_batches,
    describe_long_warmup,
    describe_restart,
    describe_resumption,
    describe_training_end,
    describe_warm_start,
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
            "1,024 examples a step, not 4,096: there are 5,000 to train on",
        ),
        (
            {"asked": 1025, "replicas": 2, "batch_size": 512},
            "1,024 examples a step, 512 on each of 2 replicas, "
            "not 1,025: all replicas take equally many",
        ),
    ],
)
def test_the_batches_are_told_where_they_are_not_what_was_asked_for(
    fields: dict[str, Any], sentence: str
) -> None:
    assert describe_batches(replace(BATCHES, **fields)) == sentence


def test_lost_workers_and_a_warm_start_are_told() -> None:
    lost = WorkersRestarted("worker 1 was killed by signal 9", seconds=2.0)
    told = describe_restart(lost)
    assert told == "worker 1 was killed by signal 9; all workers start again in 2 s"
    start = WarmStarted(served_weights=6, weights=19)
    assert describe_warm_start(start) == "starts from 6 of its 19 weights in the served model"
    assert "from new weights" in describe_warm_start(replace(start, served_weights=0))


def test_the_end_of_a_training_names_the_epoch_that_is_kept() -> None:
    trained = TrainingEnded(97, last_epoch=19, best_epoch=6, best_loss=0.4, best_eval_loss=0.453)
    assert describe_training_end(trained) == (
        "ended after epoch 19 of 97, epoch 6 is kept: eval loss 0.4530"
    )


def test_a_warm_up_beyond_the_end_is_told() -> None:
    told = describe_long_warmup(WarmupTooLong(warmup_steps=1_000_000, steps=6014))
    assert "warmup_steps is 1,000,000, and there are 6,014 steps in all" in told


def test_training_goes_on_after_an_epoch_or_within_one() -> None:
    assert describe_resumption(TrainingResumed(epoch=4, step=0)).endswith(
        "after epoch 4, from its backup"
    )
    within = describe_resumption(TrainingResumed(epoch=4, step=7))
    assert within == "Trainer goes on after step 7 of epoch 5, from its backup"
