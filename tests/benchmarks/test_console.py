"""Tables of the benchmarks in a pipe."""

import subprocess
import sys


def test_a_line_of_140_characters_is_not_cut_in_a_pipe() -> None:
    code = "from benchmarks.console import make_console; make_console().print('x' * 140)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["x" * 140]
