"""TFX's specification is unwrapped, checked and trimmed to what the backend can run."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.compiling.spec import containers_of
from pipeline.runners.kubeflow.compiling.spec_checks import (
    check_schema_version,
    drop_driver_hooks,
    refuse_nodes_without_container,
    unwrap_pipeline_spec,
)

Json = dict[str, Any]


def containers(spec: Json) -> list[Json]:
    return [container for _, container in containers_of(spec)]


def test_the_specification_inside_a_pipeline_job_is_unwrapped(raw: Json) -> None:
    """Reason 1."""
    assert unwrap_pipeline_spec({"displayName": "taxi", "pipelineSpec": raw}) == raw


def test_schema_versions_other_than_2_1_0_are_refused(raw: Json) -> None:
    """Reason 2."""
    assert check_schema_version(raw) == raw
    with pytest.raises(ConfigError, match=r"2\.0\.0"):
        check_schema_version({**raw, "schemaVersion": "2.0.0"})


@pytest.mark.parametrize("kind", ["resolver", "importer"])
def test_nodes_without_a_container_are_refused(raw: Json, kind: str) -> None:
    """Reason 3."""
    assert refuse_nodes_without_container(raw) == raw
    raw["deploymentSpec"]["executors"]["Latest_executor"] = {kind: {}}
    with pytest.raises(ConfigError, match=f"Latest_executor is of the kind {kind}"):
        refuse_nodes_without_container(raw)


def test_driver_hooks_are_removed_from_every_container(raw: Json) -> None:
    """Reason 8."""
    assert any("lifecycle" in container for container in containers(raw))
    assert not any("lifecycle" in c for c in containers(drop_driver_hooks(raw)))
