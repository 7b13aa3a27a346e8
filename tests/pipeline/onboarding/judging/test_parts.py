"""Words of texts and parts of times."""

import numpy as np

from pipeline.onboarding.judging.parts import encode_moments, encode_words


def test_the_most_frequent_words_are_marked_whatever_their_case(to_columns):
    texts = ["Late, late again", "never late", "", "Größe again!", "again"]
    rows = np.array([0, 1, 2, 3])
    marks = encode_words(to_columns({"note": texts})["note"], rows, most=2)
    assert {tuple(column) for column in marks.T} == {(1, 1, 0, 0), (1, 0, 0, 1)}
    everything = encode_words(to_columns({"note": texts})["note"], rows, most=100)
    assert everything.shape == (4, 4)


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
