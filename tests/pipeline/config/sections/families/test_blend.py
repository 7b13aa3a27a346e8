"""The section `model.blend`."""

import pytest
from pydantic import ValidationError

from pipeline.config.sections.families.blend import BlendConfig


@pytest.mark.parametrize("family", ["trees", "blend", "deep"])
def test_the_network_of_a_blend_is_a_family_of_networks(family: str) -> None:
    with pytest.raises(ValidationError, match=f"there is no model family '{family}'"):
        BlendConfig(network=family)


def test_the_network_of_a_blend_may_be_the_users_own() -> None:
    assert BlendConfig(network="shop.networks.scores").network == "shop.networks.scores"
