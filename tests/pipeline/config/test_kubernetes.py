"""The section kubeflow.workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import ConfigError, load_config

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("resources.memory=lots", "kubeflow.workers.resources.memory"),
        ("resources.cpu=4cores", "kubeflow.workers.resources.cpu"),
        ("volumes=[{claim: runs, path: runs}]", "kubeflow.workers.volumes"),
        ("tolerations=[{effect: Never}]", "kubeflow.workers.tolerations"),
        ("env={AWS_SECRET_ACCESS_KEY: abc}", "AWS_SECRET_ACCESS_KEY looks like a secret"),
        ("env={URL: 's3://me:mypass@host'}", "kubeflow.workers.env.URL"),
        ("secrets=[My_Secret]", "kubeflow.workers.secrets"),
        ("pending_second=3", "pending_seconds"),
    ],
)
def test_what_kubernetes_would_refuse_is_refused_before(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [f"kubeflow.workers.{assignment}"])
    assert told in f"{caught.value} {caught.value.hint}"
    assert "mypass" not in f"{caught.value} {caught.value.hint}"


def test_amounts_are_written_as_kubernetes_has_them() -> None:
    config = load_config(
        [TAXI],
        [
            "kubeflow.workers.resources={cpu: '4', memory: 16Gi, gpu: 1}",
            "kubeflow.workers.shared_memory=2Gi",
        ],
    )
    workers = config.kubeflow.workers
    assert (workers.resources.cpu, workers.shared_memory) == ("4", "2Gi")
