"""What has to be reached, by the size of the table."""

from __future__ import annotations

from dataclasses import dataclass

LARGE = 1_000_000
WORK = "whole DAG"


@dataclass(frozen=True)
class Floors:
    """The bounds of one size of table."""

    ratios: dict[str, float]
    """Stock's seconds over ours, by component."""
    trainer_over_stock: float
    """Examples a second, fed ours over fed as TFX's."""
    trainer_of_limit: float
    """Examples a second, as a share of what the same steps do on tensors in memory."""
    start_of_imports: float
    """The start of `run`, as a share of importing TFX and TFMA."""
    instant_seconds: float
    """The seconds in which --help and a wrong configuration are answered."""
    init_seconds: float
    cached_seconds: float
    """What a wholly cached run may take over its start."""
    noise: dict[str, float]
    """How far the metrics of two models may be apart that differ in the order of their batches."""


PROMISED = Floors(
    ratios={
        "ExampleGen": 60, "StatisticsGen": 6, "Transform": 4, "Evaluator": 4, WORK: 7,
    },
    trainer_over_stock=8,
    trainer_of_limit=0.85,
    start_of_imports=0.75,
    instant_seconds=1,
    init_seconds=5,
    cached_seconds=2,
    noise={"auc": 0.01, "log_loss": 0.01},
)  # fmt: skip
# Of a table so small that fixed costs rule, on a machine that does other things meanwhile: these
# only tell a collapse, such as rows handled one by one. A quiet machine finds 36, 16, 3, 6 and 6.
COLLAPSED = Floors(
    ratios={
        "ExampleGen": 10, "StatisticsGen": 3, "Transform": 1, "Evaluator": 1.5, WORK: 2,
    },
    trainer_over_stock=2,
    trainer_of_limit=0.15,
    start_of_imports=1.5,
    instant_seconds=5,
    init_seconds=25,
    cached_seconds=15,
    # After forty steps; three seeds gave an AUC of 0.695 to 0.702, a log loss of 0.429 to 0.432.
    noise={"auc": 0.05, "log_loss": 0.03},
)  # fmt: skip


def floors_for(rows: int) -> Floors:
    """The promises hold from a million rows on."""
    return PROMISED if rows >= LARGE else COLLAPSED
