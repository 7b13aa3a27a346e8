"""Which networks `model.family` can name."""

import pytest
from pydantic import ValidationError

from pipeline.config import ModelConfig


@pytest.mark.parametrize(
    ("family", "hint"),
    [("wide_depe", "did you mean 'wide_deep'?"), ("forest", "there are linear"), ("a..b", "lin")],
)
def test_a_family_that_is_none_is_refused(family: str, hint: str) -> None:
    with pytest.raises(ValidationError, match=hint.replace("?", r"\?")):
        ModelConfig(family=family)


def test_a_dotted_path_is_a_module_of_the_users_own() -> None:
    assert ModelConfig(family="shop.networks.scores").own_module == "shop.networks"
    assert ModelConfig(family="linear").own_module is None


@pytest.mark.parametrize("units", [(0,), (64, -3)])
def test_a_layer_has_units(units: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        ModelConfig(hidden_units=units)
