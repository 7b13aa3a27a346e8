"""Evaluator passes the label and the split to its executor."""

import json

from tensorflow_model_analysis.proto import config_pb2
from tfx import types
from tfx.types import standard_artifacts, standard_component_specs

from components.evaluator.component import Evaluator
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import GapLimit, LabelConfig

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"))


def test_the_executor_receives_label_split_slices_and_gaps() -> None:
    config = config_pb2.EvalConfig(slicing_specs=[config_pb2.SlicingSpec(feature_keys=["city"])])
    evaluator = Evaluator(
        examples=types.Channel(type=standard_artifacts.Examples),
        model=types.Channel(type=standard_artifacts.Model),
        schema=types.Channel(type=standard_artifacts.Schema),
        baseline=types.Channel(type=ServedModelRecord),
        eval_config=config,
        gaps=[GapLimit(metric="auc", slice_by=("city",), at_most=0.1)],
        example_splits=["test"],
        label=LABEL,
    )
    properties = evaluator.exec_properties
    assert LabelConfig.model_validate_json(properties["label"]) == LABEL
    assert json.loads(properties[standard_component_specs.EXAMPLE_SPLITS_KEY]) == ["test"]
    assert '"city"' in properties[standard_component_specs.EVAL_CONFIG_KEY]
    assert json.loads(properties["gaps"])[0]["slice_by"] == ["city"]
    assert set(evaluator.outputs) == {"evaluation", "blessing", "predictions"}
