"""What can be read from a compiled pipeline."""

from __future__ import annotations

import copy

import pytest
from kubeflow_configs import TUNING, load_kubeflow_config

from pipeline.runners.kubeflow.compiling.compile import compile_pipeline
from pipeline.runners.kubeflow.compiling.compiled_pipeline import (
    CompiledPipeline,
    compute_graph_digest,
)
from pipeline.runners.kubeflow.compiling.spec import tasks_of


@pytest.fixture(scope="module")
def taxi() -> CompiledPipeline:
    return compile_pipeline(load_kubeflow_config([], []))


@pytest.mark.parametrize(
    ("assignment", "changes"),
    [
        ("training.epochs=3", False),
        ("data.path=/elsewhere/*.csv", False),
        ("kubeflow.image=registry:5000/other:2", False),
        ("kubeflow.cache=false", True),
        ("kubeflow.components.Trainer.timeout_seconds=60", True),
        ("kubeflow.storage.path=/elsewhere", True),
        ("training.workers=2", True),
        ("beam.args=[--direct_num_workers=2]", True),
        (TUNING, True),
    ],
)
def test_digest_changes_only_with_settings_that_a_run_cannot_change(
    taxi: CompiledPipeline, assignment: str, changes: bool
) -> None:
    before, after = taxi, compile_pipeline(load_kubeflow_config([], [assignment]))
    digests = [compute_graph_digest(p.spec, p.platform) for p in (before, after)]
    assert (digests[0] != digests[1]) == changes
    given = tasks_of(after.spec)["prepare"]["inputs"]["parameters"]["graph"]
    assert given["runtimeValue"]["constant"] == digests[1]


def test_compiled_pipeline_knows_its_configuration_and_its_image(taxi: CompiledPipeline) -> None:
    config = load_kubeflow_config([], [])
    assert taxi.config == config
    assert taxi.image == config.kubeflow.image
    other = taxi.with_image("registry:5000/other:2")
    assert other.image == "registry:5000/other:2"
    assert other.is_as_compiled
    assert taxi.image == config.kubeflow.image


def test_edited_pipeline_is_no_longer_as_compiled(taxi: CompiledPipeline) -> None:
    assert taxi.is_as_compiled
    spec = copy.deepcopy(taxi.spec)
    tasks_of(spec)["pusher"]["cachingOptions"]["enableCache"] = True
    assert not CompiledPipeline(spec, taxi.platform).is_as_compiled
