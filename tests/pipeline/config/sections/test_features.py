"""The section `features`."""

import pytest
from pydantic import TypeAdapter, ValidationError

from pipeline.config import Features
from pipeline.config.sections.features import Bucketized


def test_a_feature_can_be_written_as_its_kind_alone() -> None:
    features = TypeAdapter(Features).validate_python(
        {"fare": "numeric", "city": {"kind": "hashed"}}
    )
    assert [feature.kind for feature in features.values()] == ["numeric", "hashed"]


@pytest.mark.parametrize("boundaries", [(2.0, 1.0), (1.0, 1.0)])
def test_boundaries_that_do_not_ascend_are_refused(boundaries: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError, match="boundaries must be ascending"):
        Bucketized(boundaries=boundaries)
