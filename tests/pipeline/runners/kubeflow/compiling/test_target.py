"""The DAG's target on Kubeflow."""

from __future__ import annotations

import pytest
from kubeflow_configs import load_kubeflow_config

from pipeline.runners.kubeflow.compiling.target import make_target


@pytest.mark.parametrize("volumes", ["[]", "[{claim: pipeline, path: /mnt/pipeline}]"])
def test_training_workers_mount_the_storage_once(volumes: str) -> None:
    target = make_target(
        load_kubeflow_config(["multi_worker"], [f"kubeflow.workers.volumes={volumes}"])
    )
    assert target.workers is not None
    assert [v.path for v in target.workers.volumes] == ["/mnt/pipeline"]
    assert target.serving_directory == "/mnt/pipeline/taxi/serving"
