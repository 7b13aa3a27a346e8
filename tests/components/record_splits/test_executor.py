"""Counts with which no model can be trained are refused."""

import pytest

from components.record_splits.executor import check_tally
from components.record_splits.settings import RecordSettings
from components.record_splits.splitting import Tally
from pipeline.config import SplitConfig
from pipeline.core.errors import ConfigError, DataError

ROWS = {"train": 8, "eval": 1, "test": 1}
SETTINGS = RecordSettings(SplitConfig(by="key", column="customer"), "y", 0.1)


def test_good_counts_pass() -> None:
    check_tally(Tally(ROWS, 1, ("customer", "y")), SETTINGS)


def test_more_records_without_a_label_than_allowed_are_refused() -> None:
    with pytest.raises(DataError, match=r"2 of 12 records have no label, 16\.67%; label\.max_miss"):
        check_tally(Tally(ROWS, 2, ("customer", "y")), SETTINGS)


def test_records_without_the_split_column_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"data\.split\.column: no record has .*'customer'"):
        check_tally(Tally(ROWS, 0, ("user", "y")), SETTINGS)


def test_labels_outside_the_classes_are_refused_in_every_split() -> None:
    tally = Tally(ROWS, 0, ("customer", "y"), {"perhaps": 1, "ja": 2})
    with pytest.raises(DataError, match=r"'ja' in 2, 'perhaps' in 1 of 10 records are not one of"):
        check_tally(tally, SETTINGS)


def test_an_empty_split_is_refused() -> None:
    with pytest.raises(DataError, match=r"data\.split\.eval: no record falls into it"):
        check_tally(Tally({**ROWS, "eval": 0}, 0, ("customer", "y")), SETTINGS)


CLASSES = RecordSettings(SplitConfig(), "y", 0.1, ("no", "yes", "late"))


@pytest.mark.parametrize(
    ("trained", "unseen"), [(("no", "yes"), ("late",)), (("late", "no", "yes"), ())]
)
def test_classes_that_train_lacks_are_returned(
    trained: tuple[str, ...], unseen: tuple[str, ...]
) -> None:
    tally = Tally(ROWS, 0, ("y",), {}, ("late", "no", "yes"), trained)
    assert check_tally(tally, CLASSES) == unseen


def test_a_single_class_in_train_is_refused() -> None:
    with pytest.raises(DataError, match=r"every training row is of class 'no'; 'late' occurs only"):
        check_tally(Tally(ROWS, 0, ("y",), {}, ("late", "no"), ("no",)), CLASSES)
    with pytest.raises(DataError, match="every row has the value 'no'; there is nothing to learn"):
        check_tally(Tally(ROWS, 0, ("y",), {}, ("no",), ("no",)), CLASSES)
