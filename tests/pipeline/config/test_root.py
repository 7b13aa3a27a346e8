"""Rules between sections, and what follows from several sections together."""

import json
from pathlib import Path

import pytest
from small_config import CONFIGS, SMALL, TAXI, load

from pipeline.config import load_config
from pipeline.core.errors import ConfigError, ConfigMistakesError


def test_numbers_are_read_as_floats_and_classes_as_text(tmp_path: Path) -> None:
    types = load(tmp_path, "data.types.code=string").column_types()
    assert types == {"fare": "float", "y": "string", "code": "string"}


def test_a_split_by_time_takes_the_date_format_of_the_feature(tmp_path: Path) -> None:
    by_time = "data.split={by: time, column: fare, train: 0.6, eval: 0.2, test: 0.2}"
    config = load(tmp_path, by_time, "features.fare={kind: timestamp, format: day_first}")
    assert config.data_with_time_format().split.time_format == "day_first"
    assert load(tmp_path, by_time).data_with_time_format().split.time_format is None


@pytest.mark.parametrize(
    ("zone", "of_split"), [("as_written", None), ("none", "none"), ("utc", "utc")]
)
def test_a_split_by_time_takes_the_zone_of_the_feature(
    tmp_path: Path, zone: str, of_split: str | None
) -> None:
    by_time = "data.split={by: time, column: fare, train: 0.6, eval: 0.2, test: 0.2}"
    config = load(tmp_path, by_time, f"features.fare={{kind: timestamp, zone: {zone}}}")
    assert config.data_with_time_format().split.time_zone == of_split


def test_all_broken_rules_between_sections_are_reported_at_once(tmp_path: Path) -> None:
    wrong = SMALL.replace("at_least: 0.7}", "at_least: 1.3}\n    - {metric: rmse, at_most: 1}")
    wrong = wrong.replace("fare: numeric", "y: numeric")
    with pytest.raises(ConfigMistakesError) as caught:
        load(tmp_path, text=wrong + "training:\n  class_weights: {maybe: 2, never: 1}\n")
    places = [part.message.rpartition("/")[2].rpartition(": ")[0] for part in caught.value.parts]
    assert places == [
        "my.yaml:5: features.y",
        "my.yaml:13: training.class_weights.maybe",
        "my.yaml:13: training.class_weights.never",
        "my.yaml:10: evaluation.thresholds[1st].at_least",
        "my.yaml:11: evaluation.thresholds[2nd].metric",
    ]


def test_a_weight_column_must_hold_numbers(tmp_path: Path) -> None:
    weighted = SMALL.replace("label: {", "label: {weight_column: w, ")
    assert load(tmp_path, text=weighted).column_types()["w"] == "float"
    with pytest.raises(ConfigError, match=r"data\.types\.w: is label\.weight_column"):
        load(tmp_path, "data.types.w=string", text=weighted)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_configurations_are_valid(path: Path) -> None:
    assert load_config([path]).name


def test_values_of_a_trial_replace_those_of_the_configuration() -> None:
    values = {"model.hidden_units": [8], "training.recovery.max_restarts": 7, "model.options.x": 1}
    config = load_config([TAXI]).with_values(values)
    assert config.model.hidden_units == (8,)
    assert config.model.options == {"x": 1}
    assert config.training.recovery.max_restarts == 7
    assert config.training.epochs == load_config([TAXI]).training.epochs
    assert json.loads(config.to_json())["tuning"] is None


def test_own_families_include_those_of_the_search() -> None:
    families = "{choice: [dnn, shop.nets.deep, shop.more.wide]}"
    config = load_config([TAXI], [f'tuning.search."model.family"={families}'])
    assert [f.rpartition(".")[0] for f in config.own_families()] == ["shop.more", "shop.nets"]
