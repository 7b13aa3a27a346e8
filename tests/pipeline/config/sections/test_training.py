"""The section `training`."""

import json
from pathlib import Path

import pytest
from small_config import CONFIGS, load

from pipeline.config import load_config
from pipeline.core.errors import ConfigError


def test_more_workers_than_examples_of_a_step_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="300 workers cannot share a global_batch_size of 256"):
        load(tmp_path, "training.workers=300")
    servers = ("training.strategy=parameter_server", "training.global_batch_size=1")
    assert load(tmp_path, "training.workers=2", *servers).training.workers == 2


@pytest.mark.parametrize(
    ("assignments", "has_servers"),
    [
        (["workers=2"], True),
        (["strategy=multi_worker"], True),
        (["strategy=parameter_server"], True),
        (["devices=[]"], False),
        ([], False),
    ],
)
def test_only_processes_of_a_cluster_listen_on_a_port(
    assignments: list[str], has_servers: bool
) -> None:
    chosen = [f"training.{each}" for each in assignments]
    assert load_config([CONFIGS / "taxi.yaml"], chosen).training.has_servers is has_servers


def test_the_key_of_a_model_changes_only_with_a_choice_of_its_network(tmp_path: Path) -> None:
    """Models that were trained before there was this key keep theirs."""
    training = load(tmp_path).training
    assert "private_network" not in training.to_json()
    never = load(tmp_path, "training.private_network=never").training
    assert json.loads(never.to_json())["private_network"] == "never"
    for each in (training, never):
        assert type(each).model_validate_json(each.to_json()) == each


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
def test_settings_decide_the_processes_of_a_training(
    assignments: list[str], tasks: dict[str, int]
) -> None:
    chosen = [f"training.{each}" for each in assignments]
    assert load_config([CONFIGS / "taxi.yaml"], chosen).training.tasks == tasks
