"""Imports of TensorFlow and TFX are quick, and quiet on the terminal."""

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

COLLECTIONS = """
import gc, json, weakref
from pipeline.core.imports import quick_imports
class Node: pass
def cycle():
    node = Node(); node.itself = node
    return weakref.ref(node)
gc.set_threshold(1)
with quick_imports():
    imported = cycle()
    import http.server
    kept = imported() is not None
later = cycle()
gc.collect()
print(json.dumps([kept, imported() is not None, later() is None, gc.isenabled()]))
"""
OPTIONAL = """
import json, sys
from pipeline.core.imports import quick_imports
with quick_imports():
    from pipeline.runners.local import run_dag
found = [name for name in ("kubernetes_validate", "matplotlib") if name in sys.modules]
import kubernetes_validate, matplotlib.pyplot
print(json.dumps(found))
"""
CRASH = """
import os, resource, sys
from pipeline.core.imports import quick_imports
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print("before", file=sys.stderr)
with quick_imports():
    os.write(2, b"E cuda_dnn.cc:1] Unable to register cuDNN factory: again\\n")
    os.write(2, b"F \\xff your CPU is too old\\n")
    if sys.argv[1:]:
        os.abort()
print("Unable to register cuDNN factory, says later code", file=sys.stderr)
"""
QUIET = """
import logging, os, sys, warnings
from pipeline.core.imports import quiet_imports
with quiet_imports():
    os.write(2, b"native")
    warnings.warn("python")
    logging.warning("log")
    print("print", file=sys.stderr)
logging.warning("afterwards")
os.write(2, b"native afterwards")
"""


def printed_by(script: str) -> Any:
    process = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True)
    return json.loads(process.stdout)


def test_garbage_is_collected_after_quick_imports_and_not_inside() -> None:
    assert printed_by(COLLECTIONS) == [True, True, True, True]


@pytest.mark.parametrize("crash", [False, True])
def test_lines_about_cuda_at_an_import_are_left_out_and_the_last_words_are_kept(
    crash: bool,
) -> None:
    command = [sys.executable, "-c", CRASH, *(["crash"] if crash else [])]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    later = [] if crash else ["Unable to register cuDNN factory, says later code"]
    assert done.stderr.splitlines() == ["before", "F \ufffd your CPU is too old", *later]
    assert done.returncode == (-signal.SIGABRT if crash else 0)


@pytest.mark.slow
def test_the_log_of_a_process_that_imports_tensorflow_begins_with_its_own_lines() -> None:
    script = (
        "from pipeline.core.imports import quick_imports\nwith quick_imports(): import tensorflow"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not [line for line in done.stderr.splitlines() if "cuda" in line.lower()]


@pytest.mark.slow
def test_a_run_does_not_import_optional_packages_and_other_code_still_can() -> None:
    assert printed_by(OPTIONAL) == []


def test_quiet_imports_write_nothing_to_the_terminal_and_later_code_does() -> None:
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, check=True)
    assert done.stdout == b""
    assert done.stderr == b"WARNING:root:afterwards\nnative afterwards"
