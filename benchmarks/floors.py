"""The targets of the benchmark, by the size of the table."""

from __future__ import annotations

from dataclasses import dataclass

LARGE = 1_000_000
WORK = "whole DAG"


@dataclass(frozen=True)
class Floors:
    """The targets for tables of one size."""

    ratios: dict[str, float]
    """The least ratio of stock TFX's seconds to this project's, by component."""
    trainer_over_stock: float
    """The least ratio of examples per second: this project's input to TFX's input."""
    trainer_of_limit: float
    """The least share of the speed that the same steps reach on tensors in memory."""
    start_of_imports: float
    """The longest start of `run`, as a share of importing TFX and TFMA."""
    instant_seconds: float
    """The most seconds until --help and a wrong configuration are answered."""
    init_seconds: float
    """The most seconds of `init` on the sample."""
    wide_init_seconds: float
    """The most seconds of `init` on 100,000 rows and 30 columns; see `measuring/wide_table.py`."""
    cached_seconds: float
    """The most seconds of a fully cached run after its start."""
    noise: dict[str, float]
    """The largest differences of metrics between two models that differ in the order of batches."""


PROMISED = Floors(
    ratios={
        "ExampleGen": 60, "StatisticsGen": 6, "Transform": 4, "Evaluator": 4, WORK: 7,
    },
    trainer_over_stock=8,
    trainer_of_limit=0.85,
    start_of_imports=0.75,
    instant_seconds=1,
    init_seconds=5,
    wide_init_seconds=30,
    cached_seconds=2,
    noise={"auc": 0.01, "log_loss": 0.01},
)  # fmt: skip
# For tables so small that fixed costs dominate, on a machine with other load. These targets only
# detect large slow-downs, such as rows handled one by one. With 50,000 rows, an idle machine
# reaches the ratios 36, 16, 3, 6 and 6. With other load, 20,000 rows gave 1.96 for the
# whole DAG.
COLLAPSED = Floors(
    ratios={
        "ExampleGen": 10, "StatisticsGen": 3, "Transform": 1, "Evaluator": 1.5, WORK: 1,
    },
    trainer_over_stock=1,
    trainer_of_limit=0.15,
    start_of_imports=1.5,
    instant_seconds=5,
    init_seconds=25,
    wide_init_seconds=120,
    cached_seconds=15,
    # Wide, since the models have made forty steps only: three seeds gave an AUC of 0.695 to 0.702
    # and a log loss of 0.429 to 0.432.
    noise={"auc": 0.05, "log_loss": 0.03},
)  # fmt: skip


def choose_floors(rows: int) -> Floors:
    """Returns the promised targets from a million rows on, the low ones below."""
    return PROMISED if rows >= LARGE else COLLAPSED
