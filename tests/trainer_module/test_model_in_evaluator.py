"""The Evaluator on exported models: its metrics equal those of TensorFlow Model Analysis."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow_model_analysis as tfma
from google.protobuf import json_format
from support import with_long
from tensorflow.python.saved_model import load
from tensorflow_model_analysis.constants import TF_GENERIC
from tensorflow_model_analysis.proto import config_pb2
from tfx.components.evaluator import executor as tfx_evaluator
from tfx.dsl.components.base import base_beam_executor
from tfx.types import standard_artifacts
from tfx.utils import path_utils
from tiny_models import Trained
from tiny_run import BEAM_ARGS, examples_artifact

from benchmarks.stock.metrics import with_tfma_metrics
from components.evaluator import executor
from components.evaluator.results import explain_failures, read_metrics
from components.predictions.artifacts import PredictionTable
from components.predictions.gaps.gaps_file import read_gaps
from components.predictions.metrics import metrics
from components.predictions.parts import part_name
from components.predictions.slices import group_slices
from components.predictions.table import read_predictions
from components.served_model.artifacts import ServedModelRecord
from components.served_model.served_record import ServedRecord
from pipeline.config import GapLimit, LabelConfig, Task
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import staged_name
from trainer_module.names import LABEL_KEY

pytestmark = pytest.mark.slow

PREDICTION_KEYS = {
    "binary": "probability",
    "multiclass": "probabilities",
    "regression": "prediction",
}


class Evaluation:
    """Evaluates the model of a tiny run, with outputs in `directory`."""

    def __init__(self, trained: Trained, task: str, directory: Path, *slices: str) -> None:
        root = Path(trained.fn_args.schema_path).parents[1]
        model, schema = standard_artifacts.Model(), standard_artifacts.Schema()
        model.uri, schema.uri = str(root / "model"), str(root / "schema")
        parquet = not list((root / "examples").rglob("*.gz"))
        self.evaluation = standard_artifacts.ModelEvaluation()
        self.blessing = standard_artifacts.ModelBlessing()
        self.predictions = PredictionTable()
        self.evaluation.uri = str(directory / "evaluation")
        self.predictions.uri = str(directory / "predictions")
        self.blessing.uri = str(directory / "blessing")
        self.gaps: list[GapLimit] = []
        self.beam_args = BEAM_ARGS
        self._directory = directory
        self._model = str(root / "model")
        self._label = LabelConfig.model_validate(trained.label).to_json()
        self._inputs = {
            "examples": [examples_artifact(root / "examples", ["train", "eval"], parquet)],
            "model": [model],
            "schema": [schema],
        }
        spec = {
            "model_type": TF_GENERIC,
            "signature_name": "serving_default",
            "label_key": LABEL_KEY,
            "prediction_key": PREDICTION_KEYS[task],
            "preprocessing_function_names": ["transform_label"],
        }
        self.config = config_pb2.EvalConfig(
            model_specs=[
                config_pb2.ModelSpec(name="candidate", **spec),
                config_pb2.ModelSpec(name="baseline", is_baseline=True, **spec),
            ],
            slicing_specs=[config_pb2.SlicingSpec(feature_keys=s.split()) for s in ("", *slices)],
            metrics_specs=[config_pb2.MetricsSpec()],
        )

    def by_tfx(self, task: Task) -> dict[str, dict[str, float]]:
        """Returns the metrics of TFX's executor, with TFMA's counterparts of our metrics."""
        self.config = with_tfma_metrics(self.config, task)
        self._run(tfx_evaluator.Executor, self._inputs)
        return read_metrics(self.evaluation.uri)

    def by_us(self, baseline: bool = False) -> dict[str, dict[str, float]]:
        record = ServedModelRecord()
        record.uri = str(self._directory / "record")
        path = Path(path_utils.serving_model_path(self._model))
        served = ServedRecord(path.name, "", "", "", "", self._label, "", "")
        served = served.with_directory(str(path.parent))
        (self._directory / "record").mkdir(parents=True)
        path = self._directory / "record" / ArtifactFile.SERVED_RECORD
        path.write_text(served.to_json() if baseline else "{}")
        self._run(executor.Executor, {**self._inputs, "baseline": [record]})
        return read_metrics(self.evaluation.uri)

    def _run(self, kind: type[Any], inputs: dict[str, Any]) -> None:
        context = base_beam_executor.BaseBeamExecutor.Context(
            beam_pipeline_args=self.beam_args, tmp_dir=str(self._directory / "tmp"), unique_id="1"
        )
        text = json_format.MessageToJson(self.config, preserving_proto_field_name=True)
        kind(context).Do(
            inputs,
            {
                "evaluation": [self.evaluation],
                "blessing": [self.blessing],
                "predictions": [self.predictions],
            },
            {
                "eval_config": text,
                "example_splits": json.dumps(["eval"]),
                "fairness_indicator_thresholds": "null",
                "gaps": json.dumps([gap.model_dump(mode="json") for gap in self.gaps]),
                "label": self._label,
            },
        )


@pytest.mark.parametrize(
    "task", with_long(["binary", "multiclass", "regression"], ["multiclass", "regression"])
)
def test_metrics_equal_those_of_tfma_and_those_of_the_table_of_predictions(
    task: Task, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    trained: Trained = request.getfixturevalue(task)
    slices = ("a%b", "a%b dense")
    theirs = Evaluation(trained, task, tmp_path / "tfx", *slices).by_tfx(task)
    evaluation = Evaluation(trained, task, tmp_path / "ours", *slices)
    ours = evaluation.by_us()
    check_table(evaluation.predictions.uri, trained, task, ours)
    assert ours.keys() == theirs.keys()
    assert ours[""]["examples"] == 240
    assert {"a%b=Cash", "a%b=Credit Card", "a%b=für später"} <= ours.keys()
    for where, values in theirs.items():
        for name, value in values.items():
            if not (name in ("auc", "pr_auc") and math.isnan(ours[where][name])):
                assert ours[where][name] == pytest.approx(value, abs=2e-3, nan_ok=True), name
            else:
                assert value == 0, "of one class alone, TFMA has an area of zero"


def check_table(
    uri: str, trained: Trained, task: Task, evaluated: dict[str, dict[str, float]]
) -> None:
    table, raw = read_predictions(uri), trained.splits["eval"]
    assert table.rows.tolist() == list(range(240))
    labels = raw[trained.label["column"]]
    named = [table.classes[i] for i in table.labels] if table.classes else table.labels.tolist()
    assert named == pytest.approx(labels) if task == "regression" else named == labels
    assert table.slices["a%b"].to_pylist() == raw["a%b"]
    assert table.slices["dense"].to_pylist() == raw["dense"]
    expected = evaluated[""]
    computed = metrics(table.labels, table.candidate, task, table.classes)
    assert computed == pytest.approx({n: expected[n] for n in computed}, nan_ok=True)
    slices = dict(group_slices(table.slices, ["dense", "a%b"]))
    assert slices.keys() == {name for name in evaluated if ", " in name}
    for name, rows in slices.items():
        assert len(rows) == evaluated[name]["examples"]


def test_a_baseline_is_evaluated_beside_the_candidate(binary: Trained, tmp_path: Path) -> None:
    evaluation = Evaluation(binary, "binary", tmp_path, "a%b")
    thresholds = evaluation.config.metrics_specs[0].per_slice_thresholds
    for name, least in (("auc", 0.99999), ("f1", 0.0)):
        bound = thresholds[name].thresholds.add()
        bound.slicing_specs.add()
        bound.threshold.value_threshold.lower_bound.value = least
        bound.threshold.change_threshold.absolute.value = -0.001
        bound.threshold.change_threshold.direction = tfma.MetricDirection.HIGHER_IS_BETTER
    ours = evaluation.by_us(baseline=True)
    assert str(read_metrics(evaluation.evaluation.uri, "baseline")) == str(ours)
    table = read_predictions(evaluation.predictions.uri)
    assert table.served is not None
    assert np.array_equal(table.served, table.candidate)
    [failure] = explain_failures(evaluation.evaluation.uri)
    assert failure.startswith("auc on the whole split is 0.")
    assert evaluation.blessing.get_int_custom_property("blessed") == 0


def test_each_model_is_loaded_once(binary: Trained, tmp_path: Path, monkeypatch: Any) -> None:
    loads: list[str] = []
    load_partial = load.load_partial

    def count(path: str, *arguments: Any, **options: Any) -> Any:
        loads.append(path)
        return load_partial(path, *arguments, **options)

    # All ways to load a SavedModel, Keras's included, end here.
    monkeypatch.setattr(load, "load_partial", count)
    Evaluation(binary, "binary", tmp_path).by_us(baseline=True)
    assert len(loads) == 2


def test_a_slice_below_the_minimum_size_has_no_metrics(binary: Trained, tmp_path: Path) -> None:
    evaluation = Evaluation(binary, "binary", tmp_path, "a%b", "dense")
    evaluation.config.options.min_slice_size.value = 200
    bound = evaluation.config.metrics_specs[0].per_slice_thresholds["auc"].thresholds.add()
    bound.slicing_specs.add(feature_keys=["a%b"])
    bound.threshold.value_threshold.lower_bound.value = 0.1
    assert not any(where.startswith("a%b") for where in evaluation.by_us())
    [failure] = explain_failures(evaluation.evaluation.uri)
    assert failure == "no value of a%b has enough examples for its threshold"
    assert evaluation.blessing.get_int_custom_property("blessed") == 0


def test_a_model_that_is_worse_on_one_slice_is_not_blessed(binary: Trained, tmp_path: Path) -> None:
    label = binary.label["column"]
    evaluation = Evaluation(binary, "binary", tmp_path, "a%b", label)
    evaluation.gaps = [
        GapLimit(metric="calibration", slice_by=("a%b",), at_most=100),
        # The model finds nearly all rows of the frequent class, and few of the rare one.
        GapLimit(metric="accuracy", slice_by=(label,), at_most=0.05),
    ]
    evaluation.by_us()
    assert [gap.passed for gap in read_gaps(evaluation.evaluation.uri)] == [True, False]
    [failure] = explain_failures(evaluation.evaluation.uri)
    assert failure.startswith("accuracy is ")
    assert failure.endswith("at most 0.05 is allowed")
    assert evaluation.blessing.get_int_custom_property("blessed") == 0
    assert (tmp_path / "blessing/NOT_BLESSED").exists()


@pytest.mark.long
def test_worker_processes_write_what_one_process_writes(binary: Trained, tmp_path: Path) -> None:
    one = Evaluation(binary, "binary", tmp_path / "one", "a%b")
    two = Evaluation(binary, "binary", tmp_path / "two", "a%b")
    two.beam_args = [
        *BEAM_ARGS,
        "--direct_running_mode=multi_processing",
        "--direct_num_workers=2",
        "--sdk_container_image=none",
    ]
    # A killed worker, whose batch another worker repeats, leaves an unfinished file.
    left = Path(two.predictions.uri, staged_name(part_name(0)))
    left.parent.mkdir(parents=True)
    left.write_bytes(b"PAR1")
    found, expected = two.by_us(), one.by_us()
    # Text, since NaN differs from itself. The order of the slices is that of the workers.
    assert str(sorted(found.items())) == str(sorted(expected.items()))
    assert read_files(two.predictions.uri) == read_files(one.predictions.uri)
    assert not left.exists()


def read_files(uri: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(uri).iterdir()}
