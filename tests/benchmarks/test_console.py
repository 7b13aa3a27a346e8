"""Tables and checks of the benchmarks in a pipe."""

import subprocess
import sys

import pytest

from benchmarks.console import exit_with, make_console
from benchmarks.results import Check


def test_a_line_of_140_characters_is_not_cut_in_a_pipe() -> None:
    code = "from benchmarks.console import make_console; make_console().print('x' * 140)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["x" * 140]


def test_a_missed_goal_ends_a_benchmark_with_exit_code_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    held, missed = Check.at_least("gain", 2.0, 1.0), Check.at_most("failed", 3.0, 0.0)
    for checks, code in (([held], 0), ([held, missed], 1)):
        with pytest.raises(SystemExit) as ended:
            exit_with(checks, make_console())
        assert int(ended.value.code or 0) == code
    assert "FAILED failed: 3, at most 0" in capsys.readouterr().out
