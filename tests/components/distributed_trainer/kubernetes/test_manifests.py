"""The manifests are valid for the published schemas of Kubernetes."""

from __future__ import annotations

import copy
import json

import kubernetes_validate
import pytest
import yaml
from fake_cluster import RULES
from manifest_checks import check_manifest
from sample_manifests import FULL, NAME, make_job

from components.distributed_trainer.kubernetes.manifests import (
    TRAINING_LABEL,
    build_config_map,
    build_network_policy,
    build_service,
    make_pod_cluster,
)
from pipeline.core.errors import ConfigError

VERSIONS = ("1.29", "1.31", "1.34", "1.37")


JOB = {"metadata": {"name": NAME, "uid": "uid-2"}}


@pytest.mark.parametrize("version", VERSIONS)
def test_all_manifests_are_valid(version: str) -> None:
    for manifest in (
        make_job({}),
        make_job(FULL, {"chief": 1, "worker": 2, "ps": 1}),
        build_network_policy(NAME, JOB),
        build_service(NAME, JOB),
        build_config_map(NAME, JOB, "[]"),
    ):
        kubernetes_validate.validate(manifest, version, strict=True)
        check_manifest(manifest)
    policy = yaml.safe_load(RULES.with_name("network-policy.yaml").read_text(encoding="utf-8"))
    rights = list(yaml.safe_load_all(RULES.read_text(encoding="utf-8")))
    for document in (*rights, policy):
        kubernetes_validate.validate(document, version, strict=True)


def test_the_trainers_account_has_its_role_and_its_token_in_any_namespace() -> None:
    account, secret, role, binding = yaml.safe_load_all(RULES.read_text(encoding="utf-8"))
    name = account["metadata"]["name"]
    assert secret["metadata"]["annotations"] == {"kubernetes.io/service-account.name": name}
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    # Without a namespace, Kubernetes looks for the account in the namespace of the binding.
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": name}]


def test_the_job_and_its_pods_have_the_labels_of_the_configuration() -> None:
    job = make_job(FULL)
    template = job["spec"]["template"]["metadata"]
    for metadata in (job["metadata"], template):
        assert metadata["labels"]["kueue.x-k8s.io/queue-name"] == "gpus"
        assert TRAINING_LABEL in metadata["labels"]
    assert template["annotations"]["example.com/owner"] == "Ann <a@example.com>"


def test_the_schemas_reject_an_unknown_field() -> None:
    for path in (("spec", "completion"), ("spec", "template", "spec", "serviceAccounts")):
        wrong = copy.deepcopy(make_job({}))
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = 2
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_the_pod_of_an_index_has_the_task_of_this_index() -> None:
    cluster = make_pod_cluster(NAME, {"chief": 1, "worker": 2, "ps": 1})
    hosts = [f"{NAME}-{index}.{NAME}:2222" for index in range(4)]
    assert cluster.addresses == {
        "chief": (hosts[0],),
        "worker": tuple(hosts[1:3]),
        "ps": (hosts[3],),
    }
    assert [task.name for task in cluster.tasks] == ["chief", "worker 0", "worker 1", "ps 0"]
    for host, task in zip(hosts, cluster.tasks):
        assert json.loads(cluster.to_tf_config(task))["cluster"][task.type][task.index] == host


def test_a_job_too_long_for_a_config_map_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"takes 1,048,577 bytes"):
        build_config_map(NAME, JOB, "x" * (2**20 + 1))


def test_the_policy_for_a_whole_namespace_selects_the_workers_of_all_trainings() -> None:
    policy = yaml.safe_load(RULES.with_name("network-policy.yaml").read_text(encoding="utf-8"))
    workers = {"matchExpressions": [{"key": TRAINING_LABEL, "operator": "Exists"}]}
    assert policy["spec"] == {
        "podSelector": workers,
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": workers}]}],
    }
    assert TRAINING_LABEL in make_job({})["spec"]["template"]["metadata"]["labels"]
