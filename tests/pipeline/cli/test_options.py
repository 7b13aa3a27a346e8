"""The console of the commands is as wide as its reader needs."""

import pytest

from pipeline.cli.options import report_console


def test_a_pipe_is_wide_enough_for_every_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert report_console().width == 200
    monkeypatch.setenv("COLUMNS", "90")
    assert report_console().width == 90
