"""Which networks `model.family` can name."""

import pytest
from pydantic import ValidationError

from pipeline.config import ModelConfig


@pytest.mark.parametrize(
    ("family", "hint"),
    [("wide_depe", "did you mean 'wide_deep'?"), ("forest", "there are linear"), ("a..b", "lin")],
)
def test_an_unknown_family_is_refused_with_a_hint(family: str, hint: str) -> None:
    with pytest.raises(ValidationError, match=hint.replace("?", r"\?")):
        ModelConfig(family=family)


def test_a_dotted_path_names_the_module_of_an_own_family() -> None:
    assert ModelConfig(family="shop.networks.scores").own_module == "shop.networks"
    assert ModelConfig(family="linear").own_module is None


@pytest.mark.parametrize("units", [(0,), (64, -3)])
def test_a_layer_without_units_is_refused(units: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        ModelConfig(hidden_units=units)
