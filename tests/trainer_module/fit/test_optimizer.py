"""The learning rate over steps and batch sizes, and the optimizers."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.config import TrainingConfig
from trainer_module.fit.optimizer import learning_rate, make_optimizer


def rates(steps: list[int], total: int = 100, **schedule: Any) -> list[float]:
    config = TrainingConfig(learning_rate=0.5, schedule=schedule)
    rate = learning_rate(config, global_batch_size=1024, steps=total)
    return [float(rate(step)) for step in steps]


def test_the_rate_rises_in_the_warm_up_and_then_stays() -> None:
    found = rates([0, 1, 3, 4, 99], warmup_steps=4)
    assert found == pytest.approx([0.125, 0.25, 0.5, 0.5, 0.5])


def test_the_rate_decays_to_0_at_the_last_step() -> None:
    assert rates([0, 50, 100, 200], decay="linear") == pytest.approx([0.5, 0.25, 0, 0])
    found = rates([0, 25, 50, 100], decay="cosine")
    assert found == pytest.approx([0.5, 0.4267767, 0.25, 0], abs=1e-6)


def test_the_decay_ends_at_the_final_share() -> None:
    found = rates([10, 55, 100], decay="cosine", warmup_steps=10, final_share=0.1)
    assert found == pytest.approx([0.5, 0.275, 0.05])


def test_a_training_shorter_than_its_warm_up_only_rises() -> None:
    assert rates([0, 1], total=2, warmup_steps=100, decay="linear") == pytest.approx([0.25, 0.5])


@pytest.mark.parametrize(("scaling", "factor"), [("none", 1), ("linear", 4), ("sqrt", 2)])
def test_batch_scaling_multiplies_the_rate(scaling: str, factor: float) -> None:
    config = TrainingConfig(learning_rate=0.1, schedule={"batch_scaling": scaling})
    assert learning_rate(config, 1024, 10) == pytest.approx(0.1 * factor)


def test_optimizers_take_their_settings() -> None:
    config = TrainingConfig(optimizer="adamw", weight_decay=0.3, learning_rate=0.2)
    optimizer = make_optimizer(config, 256, 10)
    assert optimizer.weight_decay == 0.3
    assert float(optimizer.learning_rate) == pytest.approx(0.2)
