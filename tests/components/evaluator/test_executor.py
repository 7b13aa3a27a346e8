"""The parts of the Evaluator's executor.

tests/trainer_module/test_model_in_evaluator.py runs the whole executor on trained models.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import json_format
from tfx.types import standard_artifacts

from components.evaluator.executor import _bless, _parse_eval_config
from pipeline.config import load_config
from pipeline.core.contracts import Property
from pipeline.eval_config import make_eval_config

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


@pytest.mark.parametrize("has_baseline", [True, False])
def test_without_a_baseline_only_absolute_thresholds_of_the_candidate_remain(
    has_baseline: bool,
) -> None:
    text = json_format.MessageToJson(make_eval_config(load_config([TAXI])))
    parsed = _parse_eval_config(text, has_baseline)
    names = [spec.name for spec in parsed.model_specs]
    assert names == (["candidate", "baseline"] if has_baseline else [""])
    [threshold] = parsed.metrics_specs[0].per_slice_thresholds["auc"].thresholds
    assert threshold.threshold.value_threshold.lower_bound.value == 0.8
    assert threshold.threshold.HasField("change_threshold") == has_baseline


@pytest.mark.parametrize(("blessed", "file"), [(True, "BLESSED"), (False, "NOT_BLESSED")])
def test_a_blessing_is_a_file_and_a_property(blessed: bool, file: str, tmp_path: Path) -> None:
    blessing, candidate = standard_artifacts.ModelBlessing(), standard_artifacts.Model()
    blessing.uri, candidate.uri = str(tmp_path), "model"
    _bless(blessing, candidate, blessed)
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert blessing.get_int_custom_property(Property.BLESSED) == int(blessed)
    assert blessing.get_string_custom_property("current_model") == "model"
