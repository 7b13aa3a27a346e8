"""Builds the affinity of the workers' pods, as Kubernetes writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pipeline.config.kubernetes.scheduling import NodeAffinityConfig, PodAffinityConfig

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

_Term = TypeVar("_Term", NodeAffinityConfig, PodAffinityConfig)


def build_affinity(
    nodes: Sequence[NodeAffinityConfig], pods: Sequence[PodAffinityConfig]
) -> dict[str, Any]:
    """Returns the field `affinity` of a pod's spec, empty without any entry."""
    near = [term for term in pods if not term.anti]
    away = [term for term in pods if term.anti]
    parts = {
        "nodeAffinity": _build_node_affinity(nodes),
        "podAffinity": _split(near, _build_pod_term, "podAffinityTerm"),
        "podAntiAffinity": _split(away, _build_pod_term, "podAffinityTerm"),
    }
    return {name: part for name, part in parts.items() if part}


def _build_node_affinity(terms: Sequence[NodeAffinityConfig]) -> dict[str, Any]:
    affinity = _split(terms, _build_node_term, "preference")
    if _REQUIRED in affinity:
        affinity[_REQUIRED] = {"nodeSelectorTerms": affinity[_REQUIRED]}
    return affinity


def _split(
    terms: Sequence[_Term], build: Callable[[_Term], dict[str, Any]], name: str
) -> dict[str, Any]:
    """Returns the required terms, and the preferred ones with their weights."""
    parts = {
        _REQUIRED: [build(term) for term in terms if term.weight is None],
        _PREFERRED: [
            {"weight": term.weight, name: build(term)} for term in terms if term.weight is not None
        ],
    }
    return {key: part for key, part in parts.items() if part}


def _build_node_term(term: NodeAffinityConfig) -> dict[str, Any]:
    expressions = [
        {"key": each.key, "operator": each.operator}
        | ({"values": list(each.values)} if each.values else {})
        for each in term.match
    ]
    return {"matchExpressions": expressions}


def _build_pod_term(term: PodAffinityConfig) -> dict[str, Any]:
    return {"labelSelector": {"matchLabels": dict(term.labels)}, "topologyKey": term.topology_key}
