"""Affinity is written as Kubernetes reads it."""

from __future__ import annotations

from components.distributed_trainer.kubernetes.affinity import build_affinity
from pipeline.config.kubernetes.scheduling import NodeAffinityConfig, PodAffinityConfig

ZONE = NodeAffinityConfig.model_validate({"match": [{"key": "zone", "values": ["a", "b"]}]})
NEW = NodeAffinityConfig.model_validate(
    {"match": [{"key": "old", "operator": "DoesNotExist"}], "weight": 50}
)


def test_nodes_without_a_weight_are_required_and_the_others_preferred() -> None:
    zone = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}
    new = {"matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]}
    assert build_affinity([ZONE, NEW], []) == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [zone]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 50, "preference": new}],
        }
    }


def test_pods_are_near_or_away() -> None:
    near = PodAffinityConfig(labels={"app": "store"}, topology_key="zone", weight=5)
    away = PodAffinityConfig(labels={"app": "batch"}, anti=True)
    store = {"labelSelector": {"matchLabels": {"app": "store"}}, "topologyKey": "zone"}
    batch = {
        "labelSelector": {"matchLabels": {"app": "batch"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    assert build_affinity([], [near, away]) == {
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "podAffinityTerm": store}
            ]
        },
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [batch]},
    }


def test_without_any_entry_there_is_no_affinity() -> None:
    assert build_affinity([], []) == {}
