"""Names and paths that Kubernetes allows and that nothing else uses."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from pipeline.config.kubernetes.pods import ScratchConfig, VolumeConfig


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
        ("/etc", "uses /etc/pipeline-job;"),
        ("/tmp", "uses /tmp/kfp;"),
        ("/opt", "uses /opt/venv;"),
        ("/opt/venv/lib/python3.11", "uses /opt/venv;"),
        ("/workspace", "uses /workspace/configs;"),
        ("/usr/local/share", "uses /usr;"),
        ("/var/run/argo/x", "uses /var/run/argo;"),
        ("/var/run/secrets", "uses /var/run/secrets/kubernetes.io;"),
        *((path, f"uses {path};") for path in ("/gcs", "/s3", "/minio", "/dev", "/proc")),
    ],
)
def test_a_mount_path_that_is_invalid_or_in_use_is_refused(path: str, told: str) -> None:
    for wrong in (path, f"{path}/" if path.strip("/") else path):
        with pytest.raises(ValidationError, match=re.escape(told)):
            VolumeConfig(claim="a", path=wrong)


@pytest.mark.parametrize("path", ["/mnt", "/mnt/a b/", "/tmp/runs", "/etc/ssl/own", "/workspace/a"])
def test_a_free_mount_path_is_accepted(path: str) -> None:
    assert VolumeConfig(claim="a", path=path).path == path.rstrip("/")


def test_a_volume_may_hold_the_staged_artifacts_of_a_bucket() -> None:
    assert VolumeConfig(claim="a", path="/minio/mlpipeline/v2/").path == "/minio/mlpipeline/v2"
    with pytest.raises(ValidationError, match="uses /minio;"):
        ScratchConfig(path="/minio/mlpipeline", size="1Gi")
