"""Settings that a strategy cannot have are refused when the configuration is loaded."""

from pathlib import Path

import pytest

from pipeline.config import ConfigError, load_config

TAXI = Path(__file__).parents[3] / "configs" / "taxi.yaml"


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        (
            ["strategy=central_storage", "precision=mixed_float16"],
            ("training.precision", "loss scale", "strategy mirrored"),
        ),
        (["strategy=central_storage", "jit_compile=true"], ("training.jit_compile", "XLA")),
        (["strategy=mirrored", "workers=2"], ("training.workers", "strategy multi_worker")),
    ],
)
def test_refused(assignments: list[str], words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [f"training.{assignment}" for assignment in assignments])
    for word in words:
        assert word in str(caught.value)


def test_several_workers_need_no_strategy_by_name() -> None:
    assert load_config([TAXI], ["training.workers=2"]).training.strategy == "auto"
