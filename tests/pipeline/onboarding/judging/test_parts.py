"""Words of texts and parts of times."""

import numpy as np

from pipeline.onboarding.judging.parts import (
    encode_moments,
    encode_spelling,
    encode_text,
    encode_words,
)


def test_the_most_frequent_words_are_marked_whatever_their_case(to_columns):
    texts = ["Late, late again", "never late", "", "Größe again!", "again"]
    rows = np.array([0, 1, 2, 3])
    marks = encode_words(to_columns({"note": texts})["note"], rows, most=2)
    assert {tuple(column) for column in marks.T} == {(1, 1, 0, 0), (1, 0, 0, 1)}
    everything = encode_words(to_columns({"note": texts})["note"], rows, most=100)
    assert everything.shape == (4, 4)


def test_the_most_frequent_ngrams_are_marked_with_those_at_the_ends_of_words(to_columns):
    column = to_columns({"code": ["Abc-1", "ABC 2", "xbc", "", "é"]})["code"]
    marks = encode_spelling(column, np.arange(5), most=3)
    # "bc", "bc " and "c " are in three codes.
    assert marks.T.tolist() == [[1, 1, 1, 0, 0]] * 3
    everything = encode_spelling(column, np.arange(5), most=100)
    assert everything.sum(axis=1).tolist() == [12, 12, 9, 0, 3]


def test_texts_that_share_no_words_are_spelled(to_columns):
    codes = to_columns({"code": [f"code{number}" for number in range(40)]})["code"]
    rows = np.arange(40)
    assert encode_text(codes, rows, most=9).all()
    texts = to_columns({"note": ["red late", "late", "late", "on time"] * 10})["note"]
    np.testing.assert_array_equal(encode_text(texts, rows, 10), encode_words(texts, rows, 10))


def test_moments_are_taken_apart_and_missing_ones_are_nan(to_columns):
    cells = ["2026-11-23 06:30", "1970-01-01 00:00", "", "1969-12-31 12:00"]
    columns = to_columns({"when": cells})
    parts = encode_moments(columns["when"], np.arange(4), "iso")
    assert parts[0].tolist() == [6.5, 0, 326, 20780]
    assert parts[1].tolist() == [0, 3, 0, 0]
    assert np.isnan(parts[2]).all()
    assert parts[3].tolist() == [12, 2, 364, -1]
    seconds = to_columns({"when": ["1795415400", "0", "", "-43200"]})
    of_numbers = encode_moments(seconds["when"], np.arange(4), "epoch_seconds")
    np.testing.assert_array_equal(of_numbers, parts)
