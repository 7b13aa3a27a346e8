"""One component, run on an ExecutorInput of Kubeflow."""

import json
from pathlib import Path

import pytest

from pipeline.runners.kubeflow.in_cluster.task import run_task

EXECUTOR = """
from pathlib import Path
from tfx.dsl.components.base.base_executor import BaseExecutor

class Repeating(BaseExecutor):
    def Do(self, input_dict, output_dict, exec_properties):
        [examples], [model] = input_dict["examples"], output_dict["model"]
        text = Path(examples.uri, "rows.txt").read_text()
        Path(model.uri, "weights.txt").write_text(text * exec_properties["times"])
        model.set_int_custom_property("layers", 3)
"""
EXAMPLES = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}
MODEL = {"instanceSchema": "title: tfx.Model\ntype: object\n"}


def test_a_component_reads_staged_inputs_and_reports_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "repeating_executor.py").write_text(EXECUTOR)
    (tmp_path / "s3/b/examples").mkdir(parents=True)
    (tmp_path / "s3/b/examples/rows.txt").write_text("ab")
    untyped = {"name": "7", "type": {"instanceSchema": ""}, "uri": "s3://b/examples"}
    logs = {"type": {"schemaTitle": "system.Artifact"}, "uri": "s3://b/logs"}
    executor_input = {
        "inputs": {
            "parameterValues": {"properties": '{"times": 2, "surroundings": "c0de"}'},
            "artifacts": {"examples": {"artifacts": [untyped]}},
        },
        "outputs": {
            "artifacts": {
                "model": {"artifacts": [{"type": MODEL, "uri": "s3://b/model"}]},
                "executor-logs": {"artifacts": [logs]},
            },
            "outputFile": str(tmp_path / "output_metadata.json"),
        },
    }
    inputs_spec = json.dumps({"artifacts": {"examples": {"artifactType": EXAMPLES}}})
    flags = ["--executor_class_path", "repeating_executor.Repeating"]
    run_task("Own", executor_input, [*flags, "--json_serialized_inputs_spec_args", inputs_spec])
    assert (tmp_path / "s3/b/model/weights.txt").read_text() == "abab"
    reported = json.loads((tmp_path / "output_metadata.json").read_text())["artifacts"]
    assert list(reported) == ["model"]
    [model] = reported["model"]["artifacts"]
    assert (model["uri"], model["metadata"]["layers"]) == ("s3://b/model", 3)
