"""Imports of TensorFlow and TFX are quick, and quiet on the terminal."""

import json
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


@pytest.mark.slow
def test_a_run_does_not_import_optional_packages_and_other_code_still_can() -> None:
    assert printed_by(OPTIONAL) == []


def test_quiet_imports_write_nothing_to_the_terminal_and_later_code_does() -> None:
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, check=True)
    assert done.stdout == b""
    assert done.stderr == b"WARNING:root:afterwards\nnative afterwards"
