"""Settings that a strategy cannot have are refused when the configuration is loaded."""

import itertools
from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.sections.strategies import (
    BFLOAT16,
    CUSTOM_LOOP,
    FLOAT16,
    JIT,
    MEANINGS,
    MICRO_BATCHES,
    PARAMETER_SERVERS,
    PROFILE,
    RESTRICTIONS,
    SETTINGS,
    SEVERAL_WORKERS,
    Setting,
)
from pipeline.core.errors import ConfigError

CONFIGS = Path(__file__).parents[4] / "configs"

CHOSEN = {
    FLOAT16: "precision=mixed_float16",
    BFLOAT16: "precision=mixed_bfloat16",
    JIT: "jit_compile=true",
    CUSTOM_LOOP: "loop=custom",
    MICRO_BATCHES: "micro_batch_size=8",
    PROFILE: "tensorboard.profile_steps=[2,4]",
    SEVERAL_WORKERS: "workers=2",
    PARAMETER_SERVERS: "parameter_servers=2",
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
    ("strategy", "setting"),
    list(itertools.product(MEANINGS, SETTINGS)),
    ids=lambda value: getattr(value, "words", value),
)
def test_a_setting_is_refused_exactly_where_the_table_restricts_it(
    strategy: str, setting: Setting
) -> None:
    restrictions = [r for r in RESTRICTIONS if strategy in r.strategies and r.setting is setting]
    if not restrictions:
        load(strategy, CHOSEN[setting])
        return
    with pytest.raises(ConfigError) as caught:
        load(strategy, CHOSEN[setting])
    assert f"training.{restrictions[0].setting.key}" in str(caught.value)
    assert restrictions[0].describe(strategy) in str(caught.value)


def test_what_a_restriction_advises_works() -> None:
    for _, strategy, assignment in WORKS_INSTEAD:
        load(strategy, assignment)
    for restriction in RESTRICTIONS:
        assert any(words in restriction.instead for words, *_ in WORKS_INSTEAD), restriction


@pytest.mark.parametrize("overlay", sorted((CONFIGS / "overlays").iterdir()), ids=lambda p: p.name)
def test_the_shipped_overlays_are_valid(overlay: Path) -> None:
    # The workers of an engine need absolute paths, as the overlays for it say.
    config = load_config([CONFIGS / "taxi.yaml", overlay], ["data.path=/volume/taxi.csv"])
    if overlay.stem in ("kubeflow", "vertex"):
        assert config.kubeflow.image
    elif overlay.stem.startswith("flink"):
        assert not config.engine.is_local
    else:
        assert config.training.tasks
