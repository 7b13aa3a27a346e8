"""Pusher passes keys and label to its executor, and needs every artifact that the record names."""

import pytest
from tfx import types

from components.pusher.component import _INPUTS, _OPTIONAL_INPUTS, Pusher
from pipeline.config import LabelConfig, ServingConfig

LABEL = LabelConfig(column="y", task="regression")


def make_pusher(*left_out: str, **more: types.Channel) -> Pusher:
    channels = {key: types.Channel(type=kind) for key, kind in _INPUTS.items()} | more
    for key in left_out:
        del channels[key]
    serving = ServingConfig(keep_versions=3, mode="manual")
    keys = {"data_key": "data", "run_key": "run", "withdrawal": ""}
    return Pusher("serving", serving, "taxi", LABEL, **keys, **channels)


def test_the_executor_receives_the_keys_and_the_label_as_json() -> None:
    properties = make_pusher().exec_properties
    assert (properties["keep_versions"], properties["mode"]) == (3, "manual")
    assert (properties["data_key"], properties["run_key"]) == ("data", "run")
    assert properties["exports_key"] == ""
    assert LabelConfig.model_validate_json(properties["label"]) == LABEL


def test_the_executor_receives_the_blessing_of_the_serving_check_and_the_exports() -> None:
    optional = {key: types.Channel(type=kind) for key, kind in _OPTIONAL_INPUTS.items()}
    assert set(make_pusher(**optional).inputs) == {*_INPUTS, *_OPTIONAL_INPUTS}
    assert set(make_pusher().inputs) == {*_INPUTS}


def test_a_push_without_the_blessing_cannot_be_wired() -> None:
    with pytest.raises(ValueError, match="blessing"):
        make_pusher("blessing")
