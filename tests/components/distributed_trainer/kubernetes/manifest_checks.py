"""Checks that Kubernetes makes beyond the published schemas of its objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_QUANTITY = re.compile(r"\d+(\.\d+)?(m|[kMGT]|[KMGT]i)?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_MEBIBYTE = 2**20


def check_manifest(item: Mapping[str, Any]) -> None:
    """Raises AssertionError if Kubernetes would reject the object."""
    metadata = item["metadata"]
    assert _LABEL.fullmatch(metadata["name"]), "name"
    for owner in metadata["ownerReferences"]:
        assert owner["uid"]
        # Clusters with OwnerReferencesPermissionEnforcement demand another right for this field.
        assert "blockOwnerDeletion" not in owner
    _CHECKS[item["kind"]](item)


def _check_service(item: Mapping[str, Any]) -> None:
    assert item["spec"]["clusterIP"] == "None"
    assert item["spec"]["publishNotReadyAddresses"] is True
    for port in item["spec"]["ports"]:
        assert re.fullmatch(r"[a-z0-9-]{1,15}", port["name"])


def _check_network_policy(item: Mapping[str, Any]) -> None:
    assert item["spec"]["policyTypes"] == ["Ingress"]
    # A rule without a peer, or with an empty selector, lets every pod in.
    for rule in item["spec"]["ingress"]:
        assert rule["from"]
        assert all(peer["podSelector"]["matchLabels"] for peer in rule["from"])


def _check_config_map(item: Mapping[str, Any]) -> None:
    assert sum(len(k) + len(v.encode()) for k, v in item["data"].items()) <= _MEBIBYTE
    assert all(re.fullmatch(r"[-._a-zA-Z0-9]+", key) for key in item["data"])


def _check_job(item: Mapping[str, Any]) -> None:
    spec = item["spec"]
    assert spec["completionMode"] == "Indexed"
    assert 0 < spec["parallelism"] <= spec["completions"]
    # The host names of its pods are the Job's name and their index, at most 63 characters.
    assert len(f"{item['metadata']['name']}-{spec['completions']}") <= 63
    assert spec["podReplacementPolicy"] in ("Failed", "TerminatingOrFailed")
    assert spec["activeDeadlineSeconds"] > 0
    template = spec["template"]
    for values in (item["metadata"]["labels"], template["metadata"]["labels"]):
        assert all(_LABEL_VALUE.fullmatch(value) for value in values.values()), "labels"
    _check_pod(template["spec"])


def _check_pod(pod: Mapping[str, Any]) -> None:
    assert pod["restartPolicy"] == "Never"
    assert _LABEL.fullmatch(pod["subdomain"])
    for toleration in pod.get("tolerations", []):
        assert toleration["operator"] in ("Exists", "Equal")
        assert toleration.get("effect") in (None, "NoSchedule", "PreferNoSchedule", "NoExecute")
        assert toleration.get("key") or toleration["operator"] == "Exists"
        assert "value" not in toleration or toleration["operator"] == "Equal"
    volumes = [volume["name"] for volume in pod["volumes"]]
    assert len(set(volumes)) == len(volumes)
    assert all(_LABEL.fullmatch(name) for name in volumes)
    for container in pod["containers"]:
        _check_container(container, volumes)


def _check_container(container: Mapping[str, Any], volumes: list[str]) -> None:
    assert _LABEL.fullmatch(container["name"])
    assert re.fullmatch(r"[^\s]+", container["image"])
    mounts = container["volumeMounts"]
    assert {mount["name"] for mount in mounts} <= set(volumes)
    paths = [mount["mountPath"] for mount in mounts]
    assert len(set(paths)) == len(paths), "two mounts at the same path"
    for amounts in container.get("resources", {}).values():
        assert all(_QUANTITY.fullmatch(amount) for amount in amounts.values()), "quantities"
    size = sum(len(e["name"]) + len(e["value"]) for e in container["env"])
    assert size < 100_000, "more than the environment of a process holds"


_CHECKS = {
    "Job": _check_job,
    "NetworkPolicy": _check_network_policy,
    "Service": _check_service,
    "ConfigMap": _check_config_map,
}
