"""A figure that fails becomes a sentence."""

from __future__ import annotations

import logging

import pytest

from components.run_figures.notes import Notes


def test_a_figure_that_fails_is_a_sentence_and_a_traceback_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notes = Notes()
    with caplog.at_level(logging.ERROR):
        assert notes.attempt("the share of 'a\x1b'", lambda: 1 / 0, 7.0) == 7.0
    assert notes.sentences == (
        r"the share of 'a\x1b' could not be made: ZeroDivisionError: division by zero",
    )
    assert caplog.records[0].exc_info is not None


def test_a_figure_that_succeeds_leaves_no_note() -> None:
    notes = Notes()
    assert notes.attempt("a figure", lambda: 3, 0) == 3
    assert notes.sentences == ()
