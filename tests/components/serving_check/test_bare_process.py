"""The parts of the program that need no model; tests/.../test_bare_model.py runs the program."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from components.serving_check.bare_model import COMMAND
from components.serving_check.bare_process import _read_array, _take


def test_rows_are_repeated_and_taken_from_any_row_on() -> None:
    array = np.array([1, 2, 3])
    assert _take(array, 0, 5).tolist() == [1, 2, 3, 1, 2]
    assert _take(array, 4, 2).tolist() == [2, 3]
    assert _take(array, 0, 0).tolist() == []


def test_bytes_survive_their_way_as_text() -> None:
    every = bytes(range(256))
    array = _read_array("string", [every.decode("latin-1")], is_column=True)
    assert array.shape == (1, 1)
    assert array[0, 0] == every


def test_the_peak_of_the_memory_counts_memory_that_was_given_back() -> None:
    # In a process of its own: this one may have needed more before.
    script = (
        "import numpy as np; from components.serving_check.bare_process import _measure_peak_memory"
        "; print(_measure_peak_memory()); np.ones(20_000_000).sum(); print(_measure_peak_memory())"
    )
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    before, after = map(int, output.split())
    assert after > before + 50_000_000


def test_the_program_ends_when_its_input_closes() -> None:
    receive, send = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, str(send)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=(send,)
    )
    os.close(send)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert os.read(receive, 1) == b""
    os.close(receive)
    assert COMMAND[0] == sys.executable
