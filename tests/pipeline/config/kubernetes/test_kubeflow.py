"""The section kubeflow: what a cluster would refuse is refused when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import Config, load_config
from pipeline.config.kubernetes.kubeflow import NODES, KubeflowConfig, StorageConfig
from pipeline.core.errors import ConfigError

ROOT = Path(__file__).parents[4]
TAXI = ROOT / "configs/taxi.yaml"
OVERLAY = ROOT / "configs/overlays/kubeflow.yaml"


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("image='My Image'", "kubeflow.image"),
        ("image=repo/image@sha256:abc", "kubeflow.image"),
        ("storage={path: /runs}", "kubeflow.storage.claim: is required"),
        ("storage={claim: runs, path: runs}", "kubeflow.storage.path"),
        ("storage={claim: runs, path: /minio/}", "uses /minio;"),
        ("storage={claim: runs, path: /}", "kubeflow.storage.path"),
        ("pipeline_root=bucket/folder", "kubeflow.pipeline_root"),
        ("pipeline_root='s3://me:mypass@host/x'", "kubeflow.pipeline_root"),
        ("components={Traner: {}}", "no component Traner; did you mean Trainer?"),
        ("components={X: {}}", "known are Prepare, ExampleGen"),
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
        ("defaults={requests: {cpu: '2'}, resources: {cpu: 500m}}", "requests.cpu: is more than"),
        (
            "components.Trainer={requests: {memory: 2Gi}, resources: {memory: 1500M}}",
            "Trainer.requests.memory: is more than",
        ),
        ("storage={claim: runs, path: /tmp}", "Kubeflow uses /tmp/kfp;"),
        ("storage={claim: a..b}", "kubeflow.storage.claim: must be at most 63 lower-case"),
        ("storage={claim: gcs-scratch}", "gcs-scratch is the name of a volume"),
        (
            "defaults.volumes=[{claim: a, path: /a}, {claim: b, path: /opt/venv}]",
            "volumes[2nd].path: the image, Kubernetes or Kubeflow uses /opt/venv;",
        ),
        (
            "defaults.volumes=[{claim: a, path: /a}, {claim: b, path: /a}]",
            "both claim a at /a and claim b at /a",
        ),
        (
            "defaults.volumes=[{claim: a, path: /a/b}, {claim: b, path: /a}]",
            "both claim a at /a/b and claim b at /a",
        ),
        ("defaults.secret_files={a.b: /key}", "must be at most 63 lower-case"),
        ("defaults.secret_files={key: key}", "kubeflow.defaults.secret_files.key: must be a"),
        ("defaults.secrets={A..b: {key: A}}", 'kubeflow.defaults.secrets."A..b": must be at'),
        ("defaults.secrets={s3: {../key: A}}", "must be at most 253 letters"),
        ("defaults={env: {A: x}, secrets: {s3: {key: A}}}", "secrets: the variable A would be set"),
        ("defaults.secrets={s3: {key: PATH}}", "the image, Kubernetes or Kubeflow sets PATH"),
        (
            "defaults.env={PATH: /bin}",
            "kubeflow.defaults.env.PATH: the image, Kubernetes or Kubeflow sets PATH",
        ),
        ("defaults.env={A-B: x}", "kubeflow.defaults.env.A-B: must be letters, digits"),
        ("defaults.env={DB_PASS: hunter2}", "DB_PASS looks like a secret"),
        ("defaults.env={GOOGLE_APPLICATION_CREDENTIALS: /k.json}", "or in `secret_files`"),
        ("defaults.node_selector={bad key!: x}", "kubeflow.defaults.node_selector.bad key!: must"),
        ("defaults.node_selector={a/b/c: x}", "optionally after a domain and a slash"),
        ("defaults.node_selector={pool: 'big one'}", "kubeflow.defaults.node_selector.pool: must"),
        ("defaults.labels={pipeline/runid: a}", "sets pipeline/runid; choose another key"),
        ("workers.labels={job-name: a}", "sets job-name; choose another key"),
        ("defaults.labels={team: 'a b'}", "kubeflow.defaults.labels.team: must be"),
        (
            "defaults.config_map_files={words: words}",
            "kubeflow.defaults.config_map_files.words: must",
        ),
        ("defaults.image_pull_secrets=[A_b]", "kubeflow.defaults.image_pull_secrets[1st]"),
        ("defaults.tolerations=[{key: a b}]", "kubeflow.defaults.tolerations[1st].key"),
        ("defaults.pod_affinity=[{labels: {a: b}}]", "kubeflow.defaults: pod_affinity: Kubeflow"),
        ("components={Trainer: {pod_affinity: []}}", "kubeflow.components.Trainer: pod_affinity: "),
        ("defaults.tolerations=[{value: x}]", "tolerations[1st]: a value needs a key"),
        (
            "defaults.security_context={run_as_user: 0, run_as_non_root: true}",
            "run_as_user 0 is root",
        ),
        ("defaults.retries={count: 1, backoff_seconds: 9, max_seconds: 9}", "no retry would start"),
        ("defaults.resources.gpu_type=nvidia.com/", "of the form vendor/kind"),
    ],
)
def test_settings_that_a_cluster_would_refuse_are_refused_when_loaded(
    assignment: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config([TAXI], [f"kubeflow.{assignment}"])
    assert told in f"{caught.value} {caught.value.hint}"
    for secret in ("mypass", "hunter2"):
        assert secret not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        (
            "components.Trainer.secret_files={key: /mnt/pipeline/key}",
            r"Trainer\.secret_files: .* both kubeflow\.storage at .* and Secret key",
        ),
        ("workers.volumes=[{claim: a, path: /mnt/pipeline}]", r"workers\.volumes: one pod"),
        ("defaults.secret_files={pipeline: /key}", "cannot mount pipeline twice in a pod"),
        ("workers.config_map_files={words: /mnt/pipeline}", r"workers\.config_map_files: one pod"),
    ],
)
def test_a_mount_over_the_storage_is_refused(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        load_config([TAXI, OVERLAY], [f"kubeflow.{assignment}"])


def test_valid_settings_of_pods_are_accepted() -> None:
    pod = {
        "env": {"TOKENIZERS_PARALLELISM": "false", "KEY_FILE": "", "BYPASS": "1"},
        "node_selector": {"cloud.google.com/gke-accelerator": "nvidia-l4", "a": "", "A_b.c": "1.2"},
        "tolerations": [{"key": "nvidia.com/gpu", "value": "yes"}, {}],
        "volumes": [
            {"claim": "gpu-scratch", "path": "/mnt/models"},
            {"claim": "a", "path": "/tmp/a"},
        ],
    }
    task = {**pod, "secrets": {"team.s3": {".dockerconfig_json": "DB_PASSWORD"}}}
    content = {"defaults": task, "workers": pod, "storage": {"claim": "runs", "path": "/mnt/runs"}}
    kubeflow = KubeflowConfig.model_validate(content)
    assert kubeflow.defaults.env == pod["env"]


def test_a_mistake_in_the_defaults_is_reported_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(
            [TAXI],
            [
                "kubeflow.defaults={env: {A_TOKEN: x}, requests: {cpu: '2'}, resources: {cpu: 1m}}",
                "kubeflow.components={Trainer: {env: {B_TOKEN: x}}, Evaluator: {}}",
            ],
        )
    keys = [part.message.rpartition("kubeflow")[2].split(": ")[0] for part in caught.value.parts]
    assert keys == [
        ".defaults.env.A_TOKEN", ".defaults.requests.cpu", ".components.Trainer.env.B_TOKEN"
    ]  # fmt: skip


def test_a_variable_may_name_the_file_of_a_secret() -> None:
    config = load_config(
        [TAXI],
        [
            "kubeflow.defaults.secret_files={gcs-key: /var/secrets/google}",
            "kubeflow.components.Trainer.env="
            "{GOOGLE_APPLICATION_CREDENTIALS: /var/secrets/google/key.json}",
        ],
    )
    trainer = config.kubeflow.task("Trainer")
    assert trainer.secret_files == {"gcs-key": "/var/secrets/google"}
    assert trainer.env == {"GOOGLE_APPLICATION_CREDENTIALS": "/var/secrets/google/key.json"}


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


def test_the_overlay_survives_json() -> None:
    config = load_config([TAXI, OVERLAY], ["kubeflow.defaults.env={A: '1'}"])
    assert Config.model_validate_json(config.model_dump_json(by_alias=True)) == config
    assert config.kubeflow.storage == StorageConfig(claim="pipeline", path="/mnt/pipeline")


def test_the_first_task_can_have_pod_settings() -> None:
    assert NODES[0] == "Prepare"
