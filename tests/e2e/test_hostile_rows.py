"""`init` and `run`, without edits, on tables with rare classes, leaks and unusual columns."""

import re
from collections import Counter

import pytest
from hostile_run import HostileRun, init_and_run
from hostile_tables import frauds, headless, reviews

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(frauds(), tmp_path_factory.mktemp("frauds"))


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(reviews(), tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> HostileRun:
    return init_and_run(headless(), tmp_path_factory.mktemp("headless"))


def test_tabs_are_read_as_delimiters(cards: HostileRun) -> None:
    assert cards.config.data.csv.delimiter == "\t"


def test_quoted_labels_with_signs_are_classes(cards: HostileRun) -> None:
    assert cards.config.label.classes == ("-1", "1")
    assert Counter(cards.column("fraud")) == Counter(cards.table.truth["fraud"])


def test_two_positives_in_a_thousand_are_in_every_split_and_learned(
    cards: HostileRun,
) -> None:
    positives = {name: split["fraud"].count("1") for name, split in cards.examples.items()}
    assert min(positives.values()) >= 5, positives
    assert cards.metrics["auc"] > 0.9


def test_equal_rows_are_in_the_same_split(cards: HostileRun) -> None:
    splits = [set(split["id"]) for split in cards.examples.values()]
    assert len(set().union(*splits)) < len(cards.column("id"))
    assert sum(map(len, splits)) == len(set().union(*splits))


def test_a_copy_of_the_label_is_reported_and_left_out(cards: HostileRun) -> None:
    assert "chargeback" not in cards.config.features
    assert "! chargeback: left out; duplicates the label" in cards.proposed.output


def test_ids_constants_and_empty_columns_are_left_out(cards: HostileRun) -> None:
    assert set(cards.config.features) == {"a", "b", "channel"}


def test_a_category_of_a_row_or_two_for_each_value_is_left_out(opinions: HostileRun) -> None:
    assert set(opinions.config.features) == {"review"}
    assert len(set(opinions.column("visitor"))) == 20_000
    proposed = (opinions.project.directory / "my.yaml").read_text(encoding="utf-8")
    assert re.search(r"visitor.*1\.1 rows per value", proposed)


def test_free_text_is_learnt_from(opinions: HostileRun) -> None:
    assert opinions.config.features["review"].kind == "text"
    assert opinions.metrics["auc"] > 0.7


def test_a_table_of_200_rows_without_a_header_is_read(few: HostileRun) -> None:
    assert few.config.data.csv.header is False
    assert sum(len(split["column_4"]) for split in few.examples.values()) == 200
    assert Counter(few.column("column_4")) == Counter(few.table.truth["column_4"])
    assert few.metrics["auc"] > 0.75


def test_a_label_name_is_refused_when_the_table_has_no_header(few: HostileRun) -> None:
    asked = few.project.command(
        "init", "--data", few.table.file, "--label", "bought", "--output", "other.yaml"
    )
    assert asked.code == 2
    assert "no header" in asked.output
    assert "--label column_4" in asked.output
