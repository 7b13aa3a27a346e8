"""Tables and records tell of classes that training rows lack, in one sentence."""

import pytest

from components.tables.splitting.unseen_classes import (
    describe_unseen_classes,
    find_unseen_classes,
)
from pipeline.core.errors import DataError

CLASSES = ("no", "yes", "late", "never")


def test_classes_outside_train_come_in_the_order_of_the_configuration() -> None:
    unseen = find_unseen_classes("y", CLASSES, {"late", "no", "yes"}, {"no", "yes"})
    assert unseen == ("late",)
    assert describe_unseen_classes(unseen) == (
        "no training row is of class 'late': the model cannot learn it"
    )
    assert describe_unseen_classes(()) == ""


def test_two_classes_that_are_both_trained_are_enough() -> None:
    assert find_unseen_classes("y", CLASSES, {"no", "yes"}, {"no", "yes"}) == ()


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({"no"}, "every row has the value 'no'"),
        ({"no", "yes"}, "every training row is of class 'no'; 'yes' occurs only in"),
    ],
)
def test_one_class_in_train_is_refused(found: set[str], message: str) -> None:
    with pytest.raises(DataError, match=f"label 'y': {message}"):
        find_unseen_classes("y", CLASSES, found, {"no"})
