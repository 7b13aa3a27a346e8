"""What the user states about columns."""

import pytest

from pipeline.core.errors import ConfigError
from pipeline.onboarding import Overrides


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (Overrides(key_column="custmer"), "--key-column custmer: the table has no column"),
        (Overrides(time_column="y"), "--time-column y: is the label"),
        (Overrides(exclude=("a", "b")), "--exclude b: the table has no column"),
        (Overrides("customer", "a"), "exclude each other"),
    ],
)
def test_wrong_names_are_refused_with_the_option(overrides, words):
    with pytest.raises(ConfigError, match=words):
        overrides.check(["a", "customer", "y"], "y")


def test_near_name_is_suggested():
    with pytest.raises(ConfigError) as caught:
        Overrides(key_column="custmer").check(["a", "customer", "y"], "y")
    assert caught.value.hint == "did you mean 'customer'?"
