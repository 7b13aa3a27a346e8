"""The digest and the TFX version of the image that `deploy` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deploy_command import DIGEST, IMAGE, deploy, install_tool
from fake_kubeflow import FakeKubeflow

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.client.image import Image, pin_image
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("skopeo", {"Digest": DIGEST, "Labels": {"tfx.version": "0.1"}}),
        ("docker", [{"RepoDigests": [], "Config": {"Labels": {"tfx.version": "0.1"}}}]),
    ],
)
def test_an_image_with_another_tfx_version_is_refused(
    kubeflow: FakeKubeflow, package: Path, tools: Path, name: str, answer: Any
) -> None:
    install_tool(tools, name, answer)
    done = deploy("--package", package, "--host", kubeflow.url, "--allow-tag")
    assert done.exit_code == 2
    assert "has TFX 0.1, but the pipeline was compiled with" in done.stderr
    assert not kubeflow.asked


def test_a_mutable_tag_is_refused_unless_allowed(
    kubeflow: FakeKubeflow, package: Path, tools: Path
) -> None:
    # Never pushed, or of another registry: no digest that the cluster could ask for.
    install_tool(tools, "docker", [{"RepoDigests": [f"elsewhere/image@{DIGEST}"], "Config": {}}])
    arguments = ("--package", package, "--host", kubeflow.url)
    assert "no tool here knows the digest" in deploy(*arguments).stderr
    done = deploy(*arguments, "--allow-tag")
    assert done.exit_code == 0, done.output
    (version,) = kubeflow.versions.values()
    assert CompiledPipeline(version["spec"], {}).image == "tfx-production-training:latest"


def test_the_message_of_the_registry_is_shown(package: Path, tools: Path) -> None:
    said = r'time="2026-11-22T12:00:00Z" level=fatal msg="reading \"v2\": authentication required"'
    (tools / "skopeo").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    done = deploy("--package", package, "--host", "http://x")
    assert done.exit_code == 2
    message = done.stderr.replace("\n", " ")
    assert '; skopeo says: reading "v2": authentication required' in message


@pytest.mark.parametrize("name", ["podman", "docker"])
def test_the_digest_that_podman_computes_at_the_build_is_ignored(
    package: Path, tools: Path, name: str
) -> None:
    """A push changes the digest, and Podman still names the old one."""
    image = "tfx-production-training"
    install_tool(
        tools, name, [{"Digest": DIGEST, "RepoDigests": [f"{image}@{DIGEST}"], "Labels": {}}]
    )
    done = deploy("--package", package, "--host", "http://x")
    assert done.exit_code == 2
    assert "no tool here knows the digest" in done.stderr
    assert "podman push --digestfile" in done.stderr.replace("\n", " ")


def test_an_image_with_a_digest_needs_no_tool() -> None:
    assert pin_image(IMAGE, allow_tag=False) == Image(IMAGE, None)


@pytest.mark.parametrize("name", ["registry:5000/a/b@sha256:1f", "b@latest"])
def test_a_malformed_digest_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="64 hexadecimal digits"):
        pin_image(name, allow_tag=True)
