"""Names of model families."""

import pytest

from pipeline.config.sections.families.names import NETWORKS, check_family


@pytest.mark.parametrize("family", ["dnn", "shop.networks.scores"])
def test_a_known_family_and_a_dotted_path_are_taken(family: str) -> None:
    assert check_family(family, NETWORKS) == family


@pytest.mark.parametrize(
    ("family", "hint"),
    [("dcnv2", "did you mean 'dcn_v2'"), ("xyz", "there are linear, dnn"), ("a.1b", "there are")],
)
def test_another_name_is_refused_with_the_nearest_or_all_known_ones(family: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        check_family(family, NETWORKS)
