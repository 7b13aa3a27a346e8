"""The section kubeflow: what a cluster would refuse is refused when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import Config, ConfigError, load_config
from pipeline.config.kubeflow import NODES, StorageConfig

ROOT = Path(__file__).parents[3]
TAXI = ROOT / "configs/taxi.yaml"
OVERLAY = ROOT / "configs/overlays/kubeflow.yaml"


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("image='My Image'", "kubeflow.image"),
        ("image=repo/image@sha256:abc", "kubeflow.image"),
        ("storage={path: /runs}", "kubeflow.storage.claim: is required"),
        ("storage={claim: runs, path: runs}", "kubeflow.storage.path"),
        ("storage={claim: runs, path: /minio/}", "/minio is taken"),
        ("storage={claim: runs, path: /}", "kubeflow.storage.path"),
        ("pipeline_root=bucket/folder", "kubeflow.pipeline_root"),
        ("pipeline_root='s3://me:mypass@host/x'", "kubeflow.pipeline_root"),
        ("components={Traner: {}}", "no component Traner; did you mean Trainer?"),
        ("components={X: {}}", "there are Prepare, ExampleGen"),
        ("components.Trainer={gpus: 1}", "kubeflow.components.Trainer.gpus: unknown key"),
        ("defaults.env={DB_PASSWORD: x}", "DB_PASSWORD looks like a secret"),
        ("components.Trainer.env={URL: 's3://me:mypass@host'}", "kubeflow.components.Trainer.env"),
        ("defaults.secrets=[s3]", "kubeflow.defaults.secrets"),
        ("defaults.secrets={s3: {key: 2FAST}}", "kubeflow.defaults.secrets.s3.key"),
        ("defaults.retries.count=-1", "kubeflow.defaults.retries.count"),
        ("defaults.retries.factor=1.5", "kubeflow.defaults.retries.factor"),
        ("defaults.timeout_seconds=0", "kubeflow.defaults.timeout_seconds"),
        ("defaults.image_pull_policy=Sometimes", "kubeflow.defaults.image_pull_policy"),
        ("defaults.volumes=[{claim: a, path: /a, read_only: true}]", "cannot mount a claim as"),
        ("defaults.volumes=[{claim: a, path: /a}, {claim: a, path: /b}]", "mount a twice"),
        ("defaults={requests: {cpu: '2'}, resources: {cpu: 500m}}", "requests.cpu is more than"),
        (
            "components.Trainer={requests: {memory: 2Gi}, resources: {memory: 1500M}}",
            "Trainer: requests.memory is more than",
        ),
    ],
)
def test_what_the_cluster_would_refuse_is_refused_before(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [f"kubeflow.{assignment}"])
    assert told in f"{caught.value} {caught.value.hint}"
    assert "mypass" not in f"{caught.value} {caught.value.hint}"


def test_a_component_completes_its_keys_from_the_defaults() -> None:
    config = load_config(
        [TAXI],
        [
            "kubeflow.defaults={resources: {cpu: '2', gpu: 1}, env: {A: '1', B: '1'}, "
            "retries: {count: 2}, shared_memory: 1Gi}",
            "kubeflow.components.Evaluator={resources: {gpu: 0}, env: {B: '2'}, retries: {}}",
        ],
    )
    evaluator = config.kubeflow.task("Evaluator")
    # A key is taken whole, also where it says what holds without it.
    assert (evaluator.resources.gpu, evaluator.resources.cpu) == (0, None)
    assert (evaluator.retries.count, evaluator.shared_memory) == (0, "1Gi")
    assert evaluator.env == {"A": "1", "B": "2"}
    assert config.kubeflow.task("Trainer") == config.kubeflow.defaults


def test_the_overlay_survives_the_way_to_the_cluster() -> None:
    config = load_config([TAXI, OVERLAY], ["kubeflow.defaults.env={A: '1'}"])
    assert Config.model_validate_json(config.model_dump_json(by_alias=True)) == config
    assert config.kubeflow.storage == StorageConfig(claim="pipeline", path="/mnt/pipeline")


def test_there_is_a_pod_for_the_first_task() -> None:
    assert NODES[0] == "Prepare"
