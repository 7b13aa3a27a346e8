"""Every model family learns, and the errors of a user's own network."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tiny_models import Trained, build_untrained, read_all_rows

from pipeline.config import ModelConfig
from pipeline.core.errors import ConfigError
from trainer_module.fit.train_step import TrainingModel

pytestmark = pytest.mark.slow


_TASKS = ("binary", "multiclass", "regression")

_FAMILIES = (
    ModelConfig(family="linear"),
    ModelConfig(family="dnn", hidden_units=(16,)),
    ModelConfig(family="wide_deep", hidden_units=(16,), dropout=0.1),
    ModelConfig(family="dcn_v2", hidden_units=(16,), cross_layers=3),
    ModelConfig(family="ensemble", hidden_units=(16,), numeric_bins=8, dropout=0.1),
    ModelConfig(family="own_networks.scores", options={"units": 8}),
    ModelConfig(family="own_networks.gated"),
)


def _families_and_tasks() -> list[Any]:
    """Returns each family with each task; `make test` takes one task for each family, in turn."""
    return [
        pytest.param(
            config,
            task,
            id=f"{config.family}-{task}",
            marks=[pytest.mark.long] * (_TASKS[number % len(_TASKS)] != task),
        )
        for number, config in enumerate(_FAMILIES)
        for task in _TASKS
    ]


@pytest.mark.parametrize(("config", "task"), _families_and_tasks())
def test_a_family_learns(
    config: ModelConfig, task: str, request: pytest.FixtureRequest, own_networks_module: None
) -> None:
    model, head, train = build_untrained(request.getfixturevalue(task), config)
    columns, labels = read_all_rows(train)
    model = TrainingModel(model, head)
    model.compile("adam", loss=head.loss)
    before = model.evaluate(columns, labels, batch_size=240, verbose=0)
    model.fit(columns, labels, epochs=3, batch_size=16, verbose=0)
    assert model.evaluate(columns, labels, batch_size=240, verbose=0) < before
    if config.family == "linear":
        assert (
            model.count_params()
            < build_untrained(request.getfixturevalue(task), ModelConfig(family="dnn"))[
                0
            ].count_params()
        )


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (
            "own_networks.lost",
            r"model.family: own_networks.lost failed with KeyError: 'units'\n"
            r"  .*own_networks.py, line \d+: .*units",
        ),
        ("own_networks.leaves", r"leaves failed with SystemExit: 0\n  .*line \d+: .*sys\.exit"),
        (
            "own_networks.of_keras_3",
            r"network does not hold: dense/kernel, dense/bias\n  .*Keras 3",
        ),
        ("own_networks.variable", r"network does not hold: scale\n  .*tf_keras"),
        ("own_networks.absent", "there is no function own_networks.absent"),
        ("own_networks.NUMBER", "own_networks.NUMBER is not a function"),
        ("own_network.absent", "there is no module own_network for own_network.absent"),
        ("own_broken.scores", r"No module named 'tf_kers'\n  .*own_broken.py, line 1: import"),
        (
            "own_networks.whole",
            r"returns a network instead of scores\n  call the network: .*inputs.together",
        ),
        ("own_networks.too_wide", r"returns scores of shape \(None, 2\), not \(None, 1\)"),
    ],
)
def test_an_error_of_a_users_own_network_is_explained(
    family: str, message: str, binary: Trained, own_networks_module: None
) -> None:
    with pytest.raises(ConfigError) as caught:
        build_untrained(binary, ModelConfig(family=family))
    assert re.search(message, f"{caught.value.message}\n  {caught.value.hint}")


def test_an_error_names_the_key_of_a_blends_network(
    binary: Trained, own_networks_module: None
) -> None:
    for function in ("absent", "too_wide", "lost"):
        config = ModelConfig.model_validate(
            {"family": "blend", "blend": {"network": f"own_networks.{function}"}}
        )
        with pytest.raises(ConfigError, match=r"^model\.blend\.network: .*own_networks"):
            build_untrained(binary, config)
