"""Settings that the chosen platform would ignore or refuse are refused when they are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError

ROOT = Path(__file__).parents[4]
TAXI = ROOT / "configs/taxi.yaml"
OVERLAYS = ROOT / "configs/overlays"


def load(overlay: str, *assignments: str) -> Config:
    given = [f"kubeflow.{assignment}" for assignment in assignments]
    return load_config([TAXI, OVERLAYS / f"{overlay}.yaml"], given)


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("storage.claim=runs", "kubeflow.storage.claim: Vertex AI has no claims"),
        ("storage.path=/mnt/runs", "kubeflow.storage.path: must be /gcs/BUCKET or a folder"),
        ("storage.path=/gcs/my-bucket/../other", "kubeflow.storage.path: "),
        ("storage.path=/gcs", "uses /gcs;"),
        ("pipeline_root=s3://bucket/root", "kubeflow.pipeline_root: must be an address gs://"),
        ("pipeline_root=null", "kubeflow.pipeline_root: must be an address gs://"),
        ("report=true", "kubeflow.report: must be false"),
        ("workers.labels={a: b}", "kubeflow.workers: Vertex AI has no pods for workers"),
        ("defaults.secrets={s3: {key: KEY}}", "kubeflow.defaults.secrets: Vertex AI has only"),
        ("components.Trainer.shared_memory=1Gi", "components.Trainer.shared_memory: Vertex AI has"),
        ("components.Trainer.requests={cpu: '1'}", "components.Trainer.requests: Vertex AI has"),
        ("components.Trainer.resources={gpu: 1}", "gpu_type: vertex names GPUs as in NVIDIA_L4"),
    ],
)
def test_what_vertex_ai_lacks_is_refused(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load("vertex", assignment)
    assert told in str(caught.value)


def test_what_vertex_ai_reads_is_accepted() -> None:
    trainer = (
        "{resources: {cpu: '8', gpu: 1, gpu_type: NVIDIA_L4}, env: {A: b}, retries: {count: 1}}"
    )
    config = load("vertex", f"components.Trainer={trainer}", "storage.path=/gcs/my-bucket/taxi/")
    assert config.kubeflow.task("Trainer").resources.gpu_type == "NVIDIA_L4"
    assert config.kubeflow.storage
    assert config.kubeflow.storage.path == "/gcs/my-bucket/taxi"
    assert Config.model_validate_json(config.model_dump_json(by_alias=True)) == config


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("storage.claim=null", "kubeflow.storage.claim: is required"),
        ("storage.path=/gcs/my-bucket", "only Vertex AI mounts buckets below /gcs"),
        ("defaults.resources={gpu: 1, gpu_type: NVIDIA_L4}", "names GPUs as in nvidia.com/gpu"),
    ],
)
def test_what_only_vertex_ai_has_is_refused_on_kubeflow(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load("kubeflow", assignment)
    assert told in str(caught.value)
