"""The settings of pods, as in the section `kubeflow.workers`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import WorkersConfig, load_config
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


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
        ("secrets=[a..b]", "kubeflow.workers.secrets[1st]"),
        ("service_account=my_account", "kubeflow.workers.service_account"),
        ("image='My Image'", "kubeflow.workers.image"),
        ("env={TF_CONFIG: '{}'}", "the image, Kubernetes or Kubeflow sets TF_CONFIG"),
        ("env={PIPELINE_CLUSTER: '{}'}", "Kubeflow sets PIPELINE_CLUSTER"),
        (
            "volumes=[{claim: a, path: /a}, {claim: a, path: /a/b}]",
            "both claim a at /a and claim a at /a/b",
        ),
        ("scratch=[{path: /a, size: much}]", "kubeflow.workers.scratch[1st].size"),
        (
            "{scratch: [{path: /a, size: 1Gi}], volumes: [{claim: a, path: /a/b}]}",
            "both claim a at /a/b and scratch volume 1 at /a",
        ),
        ("pending_second=3", "pending_seconds"),
        ("api_patience_seconds=481", "api_patience_seconds must be at most 480"),
        ("{api_patience_seconds: 300, abandoned_seconds: 60}", "must be at most 48"),
    ],
)
def test_settings_that_kubernetes_would_refuse_are_refused_when_loaded(
    assignment: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [f"kubeflow.workers{'=' if assignment[0] == '{' else '.'}{assignment}"])
    assert told in f"{caught.value} {caught.value.hint}"
    assert "mypass" not in f"{caught.value} {caught.value.hint}"


def test_amounts_are_written_as_in_kubernetes() -> None:
    config = load_config(
        [TAXI],
        [
            "kubeflow.workers.resources={cpu: '4', memory: 16Gi, gpu: 1}",
            "kubeflow.workers.shared_memory=2Gi",
        ],
    )
    workers = config.kubeflow.workers
    assert (workers.resources.cpu, workers.shared_memory) == ("4", "2Gi")


def test_the_trainer_waits_for_the_api_as_long_as_its_workers_surely_live() -> None:
    assert WorkersConfig().patience_seconds == 480
    assert WorkersConfig(abandoned_seconds=60).patience_seconds == 48
    assert WorkersConfig(api_patience_seconds=30).patience_seconds == 30
