"""Requirements of nodes that Kubernetes would refuse are refused when they are loaded."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pipeline.config.kubernetes.scheduling import (
    NodeAffinityConfig,
    PodAffinityConfig,
    RequirementConfig,
    TolerationConfig,
)


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ({"key": "zone"}, "In needs values"),
        ({"key": "zone", "operator": "NotIn"}, "NotIn needs values"),
        ({"key": "zone", "operator": "Exists", "values": ["a"]}, "Exists takes no values"),
        ({"key": "cores", "operator": "Gt", "values": ["many"]}, "Gt needs one value"),
        ({"key": "cores", "operator": "Lt", "values": ["1", "2"]}, "Lt needs one value"),
        ({"key": "a b", "values": ["a"]}, "key"),
        ({"key": "zone", "operator": "Like", "values": ["a"]}, "operator"),
    ],
)
def test_values_must_fit_the_operator(requirement: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        RequirementConfig.model_validate(requirement)


@pytest.mark.parametrize("weight", [0, 101])
def test_a_weight_is_between_1_and_100(weight: int) -> None:
    for section, fields in (
        (NodeAffinityConfig, {"match": [{"key": "a", "operator": "Exists"}]}),
        (PodAffinityConfig, {"labels": {"app": "a"}}),
    ):
        assert section.model_validate(fields).weight is None
        with pytest.raises(ValidationError, match="weight"):
            section.model_validate({**fields, "weight": weight})


def test_an_entry_without_requirements_would_match_nothing_and_is_refused() -> None:
    with pytest.raises(ValidationError, match="match"):
        NodeAffinityConfig.model_validate({"match": []})
    with pytest.raises(ValidationError, match="labels"):
        PodAffinityConfig.model_validate({"labels": {}})


def test_a_tolerated_value_needs_its_key() -> None:
    with pytest.raises(ValidationError, match="a value needs a key"):
        TolerationConfig.model_validate({"value": "x"})
