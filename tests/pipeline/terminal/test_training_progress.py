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
    batches_sentence,
    restart_sentence,
    resumed_sentence,
    trained_sentence,
    warm_start_sentence,
    warmup_sentence,
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
    assert batches_sentence(replace(BATCHES, **fields)) == sentence


def test_lost_workers_and_a_warm_start_are_told() -> None:
    lost = WorkersRestarted("worker 1 was killed by signal 9", seconds=2.0)
    told = restart_sentence(lost)
    assert told == "worker 1 was killed by signal 9; all workers start again in 2 s"
    start = WarmStarted(served_weights=6, weights=19)
    assert warm_start_sentence(start) == "starts from 6 of its 19 weights in the served model"
    assert "anew" in warm_start_sentence(replace(start, served_weights=0))


def test_the_end_of_a_training_names_the_epoch_that_is_kept() -> None:
    trained = TrainingEnded(97, last_epoch=19, best_epoch=6, best_loss=0.4, best_eval_loss=0.453)
    assert trained_sentence(trained) == (
        "ended after epoch 19 of 97, epoch 6 is kept: eval loss 0.4530"
    )


def test_a_warm_up_beyond_the_end_is_told() -> None:
    told = warmup_sentence(WarmupTooLong(warmup_steps=1_000_000, steps=6014))
    assert "warmup_steps is 1,000,000, and there are 6,014 steps in all" in told


def test_training_goes_on_after_an_epoch_or_within_one() -> None:
    assert resumed_sentence(TrainingResumed(epoch=4, step=0)).endswith(
        "after epoch 4, from its backup"
    )
    within = resumed_sentence(TrainingResumed(epoch=4, step=7))
    assert within == "Trainer goes on after step 7 of epoch 5, from its backup"
