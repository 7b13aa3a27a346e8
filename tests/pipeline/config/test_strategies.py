"""Settings that a strategy cannot have are refused when the configuration is loaded."""

import itertools
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.sections.strategies import (
    BFLOAT16,
    CHOICES,
    CUSTOM_LOOP,
    FLOAT16,
    JIT,
    MEANINGS,
    PIECES,
    PROFILE,
    REFUSALS,
    SERVERS,
    SEVERAL_WORKERS,
)
from pipeline.core.errors import ConfigError

CONFIGS = Path(__file__).parents[3] / "configs"

MADE = {
    FLOAT16: "precision=mixed_float16",
    BFLOAT16: "precision=mixed_bfloat16",
    JIT: "jit_compile=true",
    CUSTOM_LOOP: "loop=custom",
    PIECES: "micro_batch_size=8",
    PROFILE: "tensorboard.profile_steps=[2,4]",
    SEVERAL_WORKERS: "workers=2",
    SERVERS: "parameter_servers=2",
}
WORKS_INSTEAD = [
    ("mixed_bfloat16", "central_storage", "precision=mixed_bfloat16"),
    ("mixed_bfloat16", "parameter_server", "precision=mixed_bfloat16"),
    ("strategy mirrored or multi_worker", "mirrored", "precision=mixed_float16"),
    ("strategy mirrored or multi_worker", "multi_worker", "jit_compile=true"),
    ("loop fit", "parameter_server", "loop=fit"),
    ("loop fit", "mirrored", "loop=custom"),
    ("strategy multi_worker", "multi_worker", "tensorboard.profile_steps=[2,4]"),
    ("global_batch_size", "tpu", "global_batch_size=8"),
    ("strategy multi_worker", "multi_worker", "workers=2"),
    ("strategy parameter_server", "parameter_server", "parameter_servers=2"),
]


def load(strategy: str, *assignments: str) -> Config:
    chosen = [f"training.{each}" for each in (f"strategy={strategy}", *assignments)]
    return load_config([CONFIGS / "taxi.yaml"], chosen)


@pytest.mark.parametrize(
    ("strategy", "choice"),
    list(itertools.product(MEANINGS, CHOICES)),
    ids=lambda value: getattr(value, "words", value),
)
def test_the_table_decides(strategy: str, choice: object) -> None:
    refusals = [r for r in REFUSALS if strategy in r.strategies and r.choice is choice]
    if not refusals:
        load(strategy, MADE[choice])
        return
    with pytest.raises(ConfigError) as caught:
        load(strategy, MADE[choice])
    assert f"training.{refusals[0].choice.setting}" in str(caught.value)
    assert refusals[0].told(strategy) in str(caught.value)


def test_what_is_named_instead_works() -> None:
    for _, strategy, assignment in WORKS_INSTEAD:
        load(strategy, assignment)
    for refusal in REFUSALS:
        assert any(words in refusal.instead for words, *_ in WORKS_INSTEAD), refusal


@pytest.mark.parametrize(
    ("assignments", "tasks"),
    [
        (["workers=2"], {"worker": 2}),
        (["strategy=multi_worker"], {"worker": 1}),
        (["strategy=parameter_server"], {"chief": 1, "worker": 1, "ps": 1}),
        (
            ["strategy=parameter_server", "workers=3", "parameter_servers=2"],
            {"chief": 1, "worker": 3, "ps": 2},
        ),
        (["threads.intra_op=1"], {"worker": 1}),
        (["devices=[]"], {"worker": 1}),
        (["strategy=mirrored"], {}),
        ([], {}),
    ],
)
def test_processes_of_its_own(assignments: list[str], tasks: dict[str, int]) -> None:
    chosen = [f"training.{each}" for each in assignments]
    assert load_config([CONFIGS / "taxi.yaml"], chosen).training.tasks == tasks


@pytest.mark.parametrize("overlay", sorted((CONFIGS / "overlays").iterdir()), ids=lambda p: p.name)
def test_the_shipped_overlays_are_valid(overlay: Path) -> None:
    config = load_config([CONFIGS / "taxi.yaml", overlay])
    assert config.kubeflow.image if overlay.stem == "kubeflow" else config.training.tasks
