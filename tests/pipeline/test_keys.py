"""Which settings change the keys of a candidate, and which leave them alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.keys import digest_trainer_code, digest_trial_code, make_data_key, make_run_key

TAXI = Path(__file__).parents[2] / "configs/taxi.yaml"


def load(*assignments: str) -> Config:
    return load_config([TAXI], assignments)


@pytest.mark.parametrize(
    ("assignment", "data_changes", "run_changes"),
    [
        ("validation.missing_values_rise=0.5", True, True),
        ("label.max_missing=0.5", True, True),
        ("features.fare=bucketized", True, True),
        ("features.fare.scale=quantile", False, True),
        ("training.epochs=3", False, True),
        ("model.dropout=0.5", False, True),
        ('tuning.search."training.learning_rate"={min: 0.001, max: 0.1}', False, True),
        ("evaluation.min_slice_size=9", False, False),
        ("serving.keep_versions=2", False, False),
        ("name=another", False, False),
    ],
)
def test_a_key_changes_with_the_settings_that_it_identifies(
    assignment: str, data_changes: bool, run_changes: bool
) -> None:
    before, after = load(), load(assignment)
    assert (make_data_key(before) != make_data_key(after)) == data_changes
    assert (make_run_key(before) != make_run_key(after)) == run_changes


def test_an_edited_schema_changes_the_data_key(tmp_path: Path) -> None:
    path = tmp_path / "my.pbtxt"
    path.write_text('feature { name: "fare" type: FLOAT }')
    config = load(f"schema.path={path}")
    before = make_data_key(config)
    path.write_text('feature { name: "fare" type: INT }')
    assert make_data_key(config) != before
    path.write_text("feature {")
    with pytest.raises(ConfigError, match=r"my\.pbtxt"):
        make_data_key(config)
    path.unlink()
    with pytest.raises(ConfigError, match=r"^schema\.path: .*my\.pbtxt cannot be read"):
        make_data_key(config)


def test_the_code_of_a_custom_model_family_is_in_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "mynet_of_keys.py"
    module.write_text("def scores(inputs, head, config): ...\n")
    config = load("model.family=mynet_of_keys.scores")
    before = digest_trainer_code(config)
    assert before != digest_trial_code(config)
    module.write_text("def scores(inputs, head, config): return 1\n")
    assert digest_trainer_code(config) != before
    module.write_text("def other(): ...\n")
    with pytest.raises(ConfigError, match="mynet_of_keys defines no function scores"):
        digest_trainer_code(config)
    with pytest.raises(ConfigError, match="there is no module absent_of_keys"):
        digest_trainer_code(load("model.family=absent_of_keys.scores"))
