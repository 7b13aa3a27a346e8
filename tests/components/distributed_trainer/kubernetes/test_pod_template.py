"""The pod of a worker has the settings of the configuration and of the Trainer's pod."""

from __future__ import annotations

from typing import Any

from fake_cluster import IMAGE
from sample_manifests import FULL, make_job


def pod_of(manifest: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return spec


def test_the_pod_has_all_settings_of_the_configuration() -> None:
    pod = pod_of(make_job(FULL))
    [container] = pod["containers"]
    assert container["image"] == "registry.example/own:1"
    assert container["resources"]["limits"] == {
        "cpu": "3500m",
        "memory": "12Gi",
        "nvidia.com/gpu": "2",
    }
    assert container["envFrom"] == [{"secretRef": {"name": "minio"}}]
    assert {"name": "LEVEL", "value": "debug $$(x) $$$$5 $$"} in container["env"]
    assert (pod["nodeSelector"], pod["serviceAccountName"]) == ({"pool": "gpu"}, "reader")
    assert pod["tolerations"] == [
        {"operator": "Equal", "key": "gpu", "value": "yes", "effect": "NoSchedule"},
        {"operator": "Exists", "key": "spot"},
    ]
    mounts = {m["mountPath"]: m for m in container["volumeMounts"]}
    assert set(mounts) == {
        "/etc/pipeline-job",
        "/tmp",
        "/runs",
        "/d",
        "/dev/shm",
        "/scratch",
        "/fast",
        "/var/secrets/google",
        "/etc/words",
    }
    volumes = {v["name"]: v for v in pod["volumes"]}
    assert volumes[mounts["/d"]["name"]]["persistentVolumeClaim"] == {
        "claimName": "d",
        "readOnly": True,
    }
    assert volumes[mounts["/etc/words"]["name"]]["configMap"] == {"name": "words"}
    assert volumes[mounts["/scratch"]["name"]]["emptyDir"] == {"sizeLimit": "20Gi"}
    claim = volumes[mounts["/fast"]["name"]]["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert claim["storageClassName"] == "local-ssd"
    assert claim["resources"] == {"requests": {"storage": "1Ti"}}
    key = mounts["/var/secrets/google"]
    assert volumes[key["name"]]["secret"] == {"secretName": "gcs-key"}
    assert key["readOnly"] is True
    assert volumes[mounts["/dev/shm"]["name"]]["emptyDir"]["sizeLimit"] == "2Gi"


def test_workers_have_the_trainers_image_and_secrets_but_no_token() -> None:
    pod = pod_of(make_job({}))
    assert pod["containers"][0]["image"] == IMAGE
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    assert pod["securityContext"] == {"fsGroup": 1000}
    assert pod["automountServiceAccountToken"] is False


def test_workers_have_no_rights_beyond_their_user() -> None:
    [container] = pod_of(make_job({}))["containers"]
    security = container["securityContext"]
    assert security["runAsUser"] == 1234
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert (security["allowPrivilegeEscalation"], security["readOnlyRootFilesystem"]) == (
        False,
        True,
    )
    assert {"name": "HOME", "value": "/tmp"} in container["env"]
