"""The section kubeflow.workers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from pipeline.config import load_config
from pipeline.config.kubernetes.pods import VolumeConfig
from pipeline.core.errors import ConfigError

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
        ("secrets=[a..b]", "kubeflow.workers.secrets[1st]"),
        ("service_account=my_account", "kubeflow.workers.service_account"),
        ("image='My Image'", "kubeflow.workers.image"),
        ("env={TF_CONFIG: '{}'}", "TF_CONFIG is set by the image, Kubernetes or Kubeflow"),
        ("env={PIPELINE_CLUSTER: '{}'}", "PIPELINE_CLUSTER is set by"),
        ("volumes=[{claim: a, path: /a}, {claim: a, path: /a/b}]", "both /a and /a/b"),
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


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("//", "without `//`"),
        ("/", "a directory below /"),
        ("", "begins with a slash"),
        ("runs", "begins with a slash"),
        ("/a:b", "has no colon"),
        ("/a\nb", "has no colon"),
        ("//mnt", "without `//`"),
        ("/mnt//a", "without `//`"),
        ("/mnt/./a", "without `//`"),
        ("/mnt/../etc", "without `//`"),
        ("/etc", "/etc/pipeline-job is taken"),
        ("/tmp", "/tmp/kfp is taken"),
        ("/opt", "/opt/venv is taken"),
        ("/opt/venv/lib/python3.11", "/opt/venv is taken"),
        ("/workspace", "/workspace/configs is taken"),
        ("/usr/local/share", "/usr is taken"),
        ("/var/run/argo/x", "/var/run/argo is taken"),
        ("/var/run/secrets", "/var/run/secrets/kubernetes.io is taken"),
        *((path, f"{path} is taken") for path in ("/gcs", "/s3", "/minio", "/dev", "/proc")),
    ],
)
def test_a_path_that_is_none_or_is_taken(path: str, told: str) -> None:
    for wrong in (path, f"{path}/" if path.strip("/") else path):
        with pytest.raises(ValidationError, match=re.escape(told)):
            VolumeConfig(claim="a", path=wrong)


@pytest.mark.parametrize("path", ["/mnt", "/mnt/a b/", "/tmp/runs", "/etc/ssl/own", "/workspace/a"])
def test_a_path_that_is_free(path: str) -> None:
    assert VolumeConfig(claim="a", path=path).path == path.rstrip("/")
