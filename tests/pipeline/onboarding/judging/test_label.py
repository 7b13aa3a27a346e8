"""The task and the classes, by the values of the label."""

import numpy as np
import pytest

from pipeline.core.errors import ConfigError, DataError


def with_label(table, values):
    return {**table, "y": list(values)}


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ("0", "1"), ("-1", "1"), ("1", "2"), ("no", "yes"), ("False", "True"), ("f", "t"),
        ("-", "+"), ("neg", "pos"), ("0.0", "1.0"), ("N", "Y"), ("not spam", "spam"),
        ("no_churn", "churn"),
    ],
)  # fmt: skip
def test_positive_class_is_found_by_meaning(propose, signal, negative, positive):
    table = signal()
    table["y"] = [positive if y else negative for y in table["y"]]
    label = propose(table).config.label
    assert (label.task, label.classes) == ("binary", (negative, positive))


def test_positive_class_is_the_rarer_one_where_words_say_nothing(propose, signal):
    table = signal()
    rare = np.array(table["x"]) > 0.8
    table["y"] = np.where(rare, "Attrited", "Existing").tolist()
    assert propose(table).config.label.classes == ("Existing", "Attrited")


def test_larger_of_two_numbers_is_the_positive_class(propose, signal):
    table = signal()
    table["y"] = [7.5 if y else 2.25 for y in table["y"]]
    assert propose(table).config.label.classes == ("2.25", "7.5")


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["low", "mid", "high"], ("high", "low", "mid")),
        ([10, 9, 2], ("2", "9", "10")),
        (["3.0", "1.0", "2.0"], ("1.0", "2.0", "3.0")),
        (range(12), tuple(map(str, range(12)))),
    ],
)
def test_few_recurring_values_are_classes(propose, signal, values, classes):
    values = list(values)
    order = np.argsort(np.argsort(signal()["x"])) * len(values) // 400
    label = propose(with_label(signal(), [values[i] for i in order])).config.label
    assert (label.task, label.classes) == ("multiclass", classes)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([0.5 * (i % 9) for i in range(400)], id="half stars"),
        pytest.param([i % 150 for i in range(400)], id="counts"),
        pytest.param([3 * (i % 15) for i in range(400)], id="whole numbers with gaps"),
        pytest.param([min(i % 11, 10) for i in range(398)] + [11, 12], id="counts, rarely high"),
        pytest.param([1.5 * i for i in range(400)], id="decimals"),
        pytest.param([f"{i}e3" for i in range(400)], id="exponents"),
    ],
)
def test_counts_and_decimals_are_regression(propose, signal, values):
    label = propose(with_label(signal(), values)).config.label
    assert (label.task, label.classes) == ("regression", ())


def test_max_missing_exceeds_the_share_of_missing_labels(propose, signal):
    table = signal()
    table["y"] = ["?" if i % 5 == 0 else y for i, y in enumerate(table["y"])]
    config = propose(table).config
    assert config.label.classes == ("0", "1")
    assert "?" in config.data.csv.missing
    assert 0.2 < config.label.max_missing < 0.3


def test_na_beside_a_single_class_is_a_class(propose, signal):
    table = signal()
    table["y"] = ["NA" if y else "EU" for y in table["y"]]
    table["x"] = ["NA" if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    config = propose(table).config
    assert set(config.label.classes) == {"EU", "NA"}
    assert config.data.csv.missing == ("",)
    assert (config.features["x"].kind, config.data.types["x"]) == ("numeric", "string")


def test_missing_labels_of_regression_are_marked(propose, signal):
    values = ["NA" if i % 10 == 0 else i * 0.25 for i in range(400)]
    config = propose(with_label(signal(), values)).config
    assert config.label.task == "regression"
    assert "NA" in config.data.csv.missing
    assert config.label.max_missing > 0.1


def test_class_that_occurs_once_in_many_rows_is_found(propose, signal):
    table = with_label(signal(250_000), ["a", "b"] * 125_000)
    table["y"][-1] = "once"
    proposal = propose(table)
    assert proposal.config.label.classes == ("a", "b", "once")
    assert any("'once' (1)" in w for w in proposal.warnings)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        pytest.param(["1"] * 400, DataError, "always '1'", id="constant"),
        pytest.param([""] * 400, DataError, "missing in every row", id="missing"),
        pytest.param(["NA", "?"] * 200, DataError, "missing in every row", id="marked"),
        pytest.param([f"name {i}" for i in range(400)], ConfigError, "too many", id="names"),
        pytest.param(
            ["sold out"] * 40 + list(range(360)), ConfigError, "'sold out' keep", id="words"
        ),
    ],
)
def test_label_that_cannot_be_learnt_is_refused(propose, signal, values, error, words):
    with pytest.raises(error, match=words):
        propose(with_label(signal(), values))


def test_rare_word_among_numbers_of_a_label_is_missing(propose, signal):
    proposal = propose(with_label(signal(), ["sold out", *range(399)]))
    assert proposal.config.label.task == "regression"
    assert "sold out" in proposal.config.data.csv.missing
    assert any(w.startswith("y: 'sold out' is taken for a missing") for w in proposal.warnings)


def test_error_for_an_absent_label_names_the_nearest_column(propose, signal):
    with pytest.raises(ConfigError, match="no column 'Y'") as caught:
        propose(signal(), label="Y")
    assert caught.value.hint == "did you mean 'y'?"


def test_label_that_no_model_could_be_served_with_is_refused(propose, signal):
    table = signal()
    table["m²"] = table.pop("y")
    with pytest.raises(ConfigError, match="--label m²: TensorFlow could not load the model"):
        propose(table, label="m²")


def test_label_of_a_table_without_header_is_named_by_position(propose):
    with pytest.raises(ConfigError) as caught:
        propose("1,2,3\n4,5,6\n")
    assert "no header" in str(caught.value)
    assert "--label column_3" in caught.value.hint


def test_rare_class_of_several_earns_a_warning(propose, signal):
    table = with_label(signal(5000), ["a", "b", "c"] * 1660 + ["d"] * 20)
    assert "y: only 0.4 % of the rows are of class 'd'" in propose(table).warnings
    even = with_label(signal(5000), ["a", "b", "c", "c"] * 1250)
    assert not any("of the rows are of" in w for w in propose(even).warnings)
