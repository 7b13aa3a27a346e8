"""The words that mark missing values."""

import datetime

import pytest

MOMENTS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=50 * i) for i in range(400)]


@pytest.mark.parametrize("marker", ["?", "NA", "-", "n/a", "NULL", ".", "missing", "inf"])
def test_marker_among_numbers_is_found(propose, signal, marker):
    table = signal()
    table["x"] = [marker if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    config = propose(table).config
    assert config.data.csv.missing == ("", marker)
    assert config.features["x"].kind == "numeric"


def test_word_in_a_text_column_is_no_marker(propose, signal):
    table = signal()
    table["c"] = ["None" if c == "red" else c for c in table["c"]]
    assert propose(table).config.data.csv.missing == ("",)


@pytest.mark.parametrize("marker", ["?", "NA", "n/a", "NULL", "NaN"])
def test_certain_marker_among_texts_is_found(propose, signal, marker):
    table = signal()
    table["c"][::9] = [marker] * len(table["c"][::9])
    assert propose(table).config.data.csv.missing == ("", marker)


@pytest.mark.parametrize("every", [2.5, 10, 100])
@pytest.mark.parametrize("word", ["k.A.", "offen", "не указано", "未定", "-", "N/A"])
@pytest.mark.parametrize(
    ("written", "date_format"),
    [("%d.%m.%Y %H:%M", "day_first"), ("%m/%d/%Y", "month_first"), ("%Y-%m-%d", "iso")],
)
def test_word_among_dates_is_a_marker(propose, signal, written, date_format, word, every):
    values = [word if i % every < 1 else m.strftime(written) for i, m in enumerate(MOMENTS)]
    config = propose({**signal(), "due": values}).config
    assert config.features["due"].format == date_format
    assert config.data.csv.missing == ("", word)


def test_word_among_dates_in_the_first_rows_only_is_a_marker(propose, signal):
    written = [f"{m:%d.%m.%Y}" for m in MOMENTS] * 6
    config = propose({**signal(2400), "due": ["offen"] * 1100 + written[1100:]}).config
    assert config.features["due"].kind == "timestamp"
    assert config.data.csv.missing == ("", "offen")


def test_marker_among_dates_is_one_among_numbers_as_well(propose, signal):
    table = signal()
    table["x"] = ["n. bek." if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    table["due"] = ["n. bek." if i % 7 == 0 else f"{m:%d.%m.%Y}" for i, m in enumerate(MOMENTS)]
    proposal = propose(table)
    kinds = {name: f.kind for name, f in proposal.config.features.items()}
    assert kinds == {"x": "numeric", "c": "categorical", "due": "timestamp"}
    assert proposal.config.data.csv.missing == ("", "n. bek.")
    assert any("'n. bek.' is taken for a missing value" in w for w in proposal.warnings)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(["open", "cancelled"], id="two words"),
        pytest.param(["Q3 2020"], id="with digits"),
        pytest.param(["as soon as the goods have come from the other house"], id="a sentence"),
        pytest.param(["red"], id="a value of another column"),
    ],
)
def test_words_that_may_be_values_among_dates_are_no_markers(propose, signal, odd):
    values = [
        odd[i // 9 % len(odd)] if i % 9 == 0 else m.strftime("%d.%m.%Y")
        for i, m in enumerate(MOMENTS)
    ]
    assert propose({**signal(), "due": values}).config.data.csv.missing == ("",)


def test_na_beside_other_codes_is_a_code(propose, signal):
    table = signal()
    table["region"] = ["EU", "NA", "APAC", "?"] * 100
    assert propose(table).config.data.csv.missing == ("", "?")


def test_names_that_look_like_markers_are_no_markers(propose, signal):
    table = signal()
    table["film"] = [f"Film {i}" for i in range(400)]
    table["film"][7:10] = ["Infinity", "NA", "NULL"]
    table["surname"] = ["Null", "Nan", "Na", "Doe"] * 100
    assert propose(table).config.data.csv.missing == ("",)


def test_marker_that_is_also_a_class_is_not_proposed(propose, signal):
    table = signal()
    table["x"] = ["-" if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    table["y"] = ["+" if y else "-" for y in table["y"]]
    proposal = propose(table)
    assert proposal.config.data.csv.missing == ("",)
    assert proposal.config.label.classes == ("-", "+")
    assert proposal.config.features["x"].kind == "numeric"
    assert proposal.config.data.types == {"x": "string"}
    assert any(w.startswith("x: numbers, but also '-'") for w in proposal.warnings)


def test_single_word_in_the_last_of_many_rows_is_a_marker(propose, signal):
    table = signal(220_000)
    table["x"][-1] = "broken"
    proposal = propose(table)
    assert proposal.config.features["x"].kind == "numeric"
    assert "broken" in proposal.config.data.csv.missing
    assert any("'broken' is taken for a missing value" in w for w in proposal.warnings)


def test_a_dash_alone_in_several_columns_of_text_is_a_marker(propose, signal):
    table = signal()
    table["town"] = ["-" if i % 5 == 0 else f"town {i % 7}" for i in range(400)]
    table["c"] = ["-" if i % 9 == 0 else c for i, c in enumerate(table["c"])]
    proposal = propose(table)
    assert proposal.config.data.csv.missing == ("", "-")
    assert "'-' in 125 cells of 2 columns" in proposal.path.read_text()


def test_a_dash_among_numbers_and_other_words_is_a_marker(propose, signal):
    table = signal()
    words = ["-", "a few", "some", "many", "lots"]
    table["x"] = [words[i // 3 % 5] if i % 3 == 0 else x for i, x in enumerate(table["x"])]
    assert propose(table).config.data.csv.missing == ("", "-")


def test_a_dash_in_one_column_of_text_or_among_signs_is_no_marker(propose, signal):
    table = signal()
    table["town"] = ["-" if i % 5 == 0 else f"town {i % 7}" for i in range(400)]
    table["sign"] = ["+-"[i % 3 == 0] for i in range(400)]
    assert propose(table).config.data.csv.missing == ("",)
