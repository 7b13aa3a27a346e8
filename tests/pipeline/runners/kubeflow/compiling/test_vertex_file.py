"""The file for Vertex AI: the tasks of Kubeflow's file, in a form that Google's SDK takes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.auth.credentials import AnonymousCredentials
from google.protobuf import json_format
from kfp.pipeline_spec import pipeline_spec_pb2
from kubeflow_configs import TAXI

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import read_pipeline
from pipeline.runners.kubeflow.client.package import read_package
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline
from pipeline.runners.kubeflow.compiling.spec import executor_of, tasks_of
from pipeline.runners.kubeflow.compiling.target import make_target

ROOT_URI = "gs://my-bucket/pipeline-root"
TASKS = {"Trainer": {"resources": {"cpu": "8"}, "env": {"A": "b"}, "retries": {"count": 2}}}
BOTH = {"image": "host/pipeline:1", "pipeline_root": ROOT_URI, "components": TASKS, "report": False}


def load(**kubeflow: Any) -> Config:
    settings = json.dumps({**BOTH, **kubeflow})
    return load_config([TAXI], [f"kubeflow={settings}", "training.workers=2"])


@pytest.fixture(scope="module")
def compiled() -> CompiledPipeline:
    return compile_pipeline(load(platform="vertex", storage={"path": "/gcs/my-bucket"}))


@pytest.fixture(scope="module")
def file(compiled: CompiledPipeline, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vertex") / "taxi.yaml"
    path.write_text(compiled.to_yaml(), encoding="utf-8")
    return path


def test_the_tasks_are_those_of_kubeflows_file(compiled: CompiledPipeline) -> None:
    kubeflow = compile_pipeline(load(storage={"claim": "pipeline"})).spec
    vertex = copy.deepcopy(compiled.spec)
    assert vertex.pop("defaultPipelineRoot") == ROOT_URI
    for spec in (vertex, kubeflow):
        for name in ("config", "graph"):
            del tasks_of(spec)["prepare"]["inputs"]["parameters"][name]["runtimeValue"]
    assert vertex == kubeflow
    assert tasks_of(vertex)["trainer"]["retryPolicy"]["maxRetryCount"] == 2
    assert executor_of(vertex, "trainer")["container"]["env"] == [{"name": "A", "value": "b"}]


def test_models_and_backups_lie_in_the_bucket_and_workers_are_processes(
    compiled: CompiledPipeline,
) -> None:
    target = make_target(compiled.config)
    assert target.serving_directory == "/gcs/my-bucket/taxi/serving"
    assert target.backup_directory == "/gcs/my-bucket/taxi/backups"
    assert target.workers is None


def test_googles_sdk_makes_a_job_of_the_file(file: Path) -> None:
    # The import takes ten seconds, which each process that collects tests would pay.
    from google.cloud import aiplatform

    job = aiplatform.PipelineJob(
        display_name="taxi",
        template_path=str(file),
        parameter_values={"data-path": "/gcs/my-bucket/new.csv"},
        project="my-project",
        location="europe-west4",
        credentials=AnonymousCredentials(),
    ).to_dict()
    assert job["runtimeConfig"]["gcsOutputDirectory"] == ROOT_URI
    assert job["runtimeConfig"]["parameterValues"] == {"data-path": "/gcs/my-bucket/new.csv"}
    assert job["pipelineSpec"] == yaml.safe_load(file.read_text())


def test_the_file_has_only_what_the_specification_knows(compiled: CompiledPipeline) -> None:
    read = json_format.ParseDict(compiled.spec, pipeline_spec_pb2.PipelineSpec())
    assert read.default_pipeline_root == ROOT_URI


def test_the_local_executor_reads_the_file_and_deploy_refuses_it(file: Path) -> None:
    read = read_pipeline(file)
    assert (read.root, {volume for task in read.tasks for volume in task.volumes}) == (
        ROOT_URI,
        set(),
    )
    with pytest.raises(ConfigError, match="compiled for Vertex AI"):
        read_package(file)
