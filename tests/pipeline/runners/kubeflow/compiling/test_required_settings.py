"""Settings that Kubeflow requires."""

from __future__ import annotations

import pytest
from kubeflow_configs import load_kubeflow_config

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline
from pipeline.runners.kubeflow.compiling.target import make_target


@pytest.mark.parametrize("directory", ["models", "/models", "/mnt/pipelines/models"])
def test_a_serving_directory_on_no_volume_is_refused(directory: str) -> None:
    with pytest.raises(ConfigError, match=r"is on no volume of the task Prepare"):
        make_target(load_kubeflow_config([], [f"serving.directory={directory}"]))
    volume = "kubeflow.defaults.volumes=[{claim: models, path: /models}]"
    inside = load_kubeflow_config([], ["serving.directory=/models/taxi", volume])
    assert make_target(inside).serving_directory == "/models/taxi"


def test_the_copy_of_a_serving_directory_on_a_store_lies_on_the_volume() -> None:
    config = load_kubeflow_config([], ["serving.directory=s3://bucket/models/taxi"])
    assert make_target(config).serving_directory == "/mnt/pipeline/taxi/serving-copy"


@pytest.mark.parametrize("directory", ["/mnt/pipeline/../models", "/mnt/pipeline//models"])
def test_a_serving_directory_has_to_be_a_normalized_path(directory: str) -> None:
    with pytest.raises(ConfigError, match=r"serving\.directory: .* is not a normalized path"):
        make_target(load_kubeflow_config([], [f"serving.directory={directory}"]))


@pytest.mark.parametrize(
    "output", ["scored", "/scored", "/mnt/pipelines/scored", "/mnt/pipeline/../scored"]
)
def test_predictions_on_no_volume_are_refused(output: str) -> None:
    section = f"prediction={{input: /new/*.csv, output: {output}}}"
    with pytest.raises(ConfigError, match=r"is on no volume of the task BatchPredictor") as caught:
        make_target(load_kubeflow_config([], [section]))
    assert "/mnt/pipeline/taxi/predictions" in caught.value.hint
    own = "kubeflow.components.BatchPredictor.volumes=[{claim: scored, path: /scored}]"
    make_target(load_kubeflow_config([], ["prediction={input: a, output: /scored/taxi}", own]))
    stored = "prediction={input: 's3://bucket/new/*.csv', output: 's3://bucket/scored'}"
    make_target(load_kubeflow_config([], [stored]))


@pytest.mark.parametrize("missing", ["image", "storage"])
def test_a_missing_image_or_storage_is_refused_with_the_option_to_set(missing: str) -> None:
    with pytest.raises(ConfigError, match=rf"kubeflow\.{missing}: is required") as caught:
        compile_pipeline(load_kubeflow_config([], [f"kubeflow.{missing}=null"]))
    assert "--set kubeflow" in caught.value.hint


ENGINE = ["engine.kind=flink", "engine.endpoint=jobserver:8099", "data.path=/mnt/pipeline/*.csv"]
ROOT = "kubeflow.pipeline_root=minio://mlpipeline/v2"
SHARED = "kubeflow.defaults.volumes=[{claim: artifacts, path: /minio/mlpipeline}]"


@pytest.mark.parametrize(
    ("assignments", "words"),
    [
        ([], "kubeflow.pipeline_root: is required for engine.kind flink"),
        ([ROOT], "do not see /minio/mlpipeline/v2, where Kubeflow stages the artifacts of Ex"),
        (
            ["kubeflow.pipeline_root=s3://mlpipeline/v2", SHARED],
            "do not see /s3/mlpipeline/v2",
        ),
    ],
)
def test_artifacts_that_the_workers_of_an_engine_cannot_see_are_refused(
    assignments: list[str], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        make_target(load_kubeflow_config([], [*ENGINE, *assignments]))


def test_a_volume_where_kubeflow_stages_artifacts_lets_workers_see_them() -> None:
    assert make_target(load_kubeflow_config([], [*ENGINE, ROOT, SHARED]))
