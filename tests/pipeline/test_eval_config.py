"""The EvalConfig that the section `evaluation` becomes."""

from pathlib import Path

import pytest
import tensorflow_model_analysis as tfma
from tensorflow_model_analysis.proto import config_pb2

from pipeline.config import Config, load_config
from pipeline.eval_config import make_eval_config

CONFIGS = Path(__file__).parents[2] / "configs"


def load(name: str, *assignments: str) -> Config:
    return load_config([CONFIGS / f"{name}.yaml"], assignments)


def thresholds(config: Config) -> dict[str, list[str]]:
    """The slices of each metric's thresholds."""
    return {
        name: [",".join(t.slicing_specs[0].feature_keys) for t in bounds.thresholds]
        for name, bounds in make_eval_config(config).metrics_specs[0].per_slice_thresholds.items()
    }


def threshold_of(name: str, metric: str) -> config_pb2.MetricThreshold:
    bounds = make_eval_config(load(name)).metrics_specs[0].per_slice_thresholds[metric]
    return bounds.thresholds[0].threshold


@pytest.mark.parametrize("name", ["taxi", "penguins", "bike_sharing"])
def test_tfma_accepts_the_eval_config_of_each_sample(name: str) -> None:
    config = load(name)
    eval_config = tfma.utils.update_eval_config_with_defaults(
        make_eval_config(config), has_baseline=True
    )
    tfma.utils.verify_eval_config(eval_config)


def test_candidate_and_baseline_are_evaluated_on_slices_of_the_configured_size() -> None:
    config = load("taxi", "evaluation.min_slice_size=77")
    eval_config = make_eval_config(config)
    specs = [(spec.name, spec.is_baseline) for spec in eval_config.model_specs]
    assert specs == [("candidate", False), ("baseline", True)]
    for spec in eval_config.model_specs:
        assert (spec.label_key, spec.prediction_key) == ("_label", "probability")
        assert spec.signature_name == "serving_default"
        assert list(spec.preprocessing_function_names) == ["transform_label"]
    assert eval_config.options.min_slice_size.value == 77
    assert eval_config.options.HasField("include_default_metrics")
    assert not eval_config.options.include_default_metrics.value


def test_bounds_of_a_metric_on_the_same_slice_are_one_threshold() -> None:
    assert thresholds(load("taxi")) == {"auc": [""], "calibration": [""]}
    threshold = threshold_of("taxi", "auc")
    assert threshold.value_threshold.lower_bound.value == 0.8
    assert threshold.change_threshold.absolute.value == -0.02
    assert threshold.change_threshold.direction == tfma.MetricDirection.HIGHER_IS_BETTER


def test_a_metric_that_should_be_low_may_rise_by_the_bound() -> None:
    change = threshold_of("bike_sharing", "rmse").change_threshold
    assert change.absolute.value == 5
    assert change.direction == tfma.MetricDirection.LOWER_IS_BETTER


def test_a_threshold_without_a_class_applies_to_all_classes() -> None:
    assert {"f1[Adelie]", "f1[Chinstrap]", "f1[Gentoo]"} <= set(thresholds(load("penguins")))
    one = "evaluation.thresholds=[{metric: f1, at_least: 0.5, class_name: Gentoo}]"
    assert set(thresholds(load("penguins", one))) == {"f1[Gentoo]"}


def test_the_slices_of_a_threshold_are_computed() -> None:
    config = load(
        "taxi",
        "evaluation.slices=[]",
        "evaluation.thresholds=[{metric: auc, at_least: 0.5, slice_by: [payment_type]}]",
    )
    assert thresholds(config) == {"auc": ["payment_type"]}
    slices = [list(s.feature_keys) for s in make_eval_config(config).slicing_specs]
    assert slices == [[], ["payment_type"]]


def test_the_slices_of_a_gap_are_computed() -> None:
    gaps = "evaluation.gaps=[{metric: auc, at_most: 0.1, slice_by: [payment_type, company]}]"
    config = load("taxi", "evaluation.slices=[]", gaps)
    slices = [list(s.feature_keys) for s in make_eval_config(config).slicing_specs]
    assert slices == [[], ["company", "payment_type"]]
