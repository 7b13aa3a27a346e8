"""Start-up of a process with TensorFlow: no search for garbage, and nothing without a use."""

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
    from pipeline.runners.local import dag as local_dag
found = [name for name in ("kubernetes_validate", "matplotlib") if name in sys.modules]
import kubernetes_validate, matplotlib.pyplot
print(json.dumps(found))
"""


def printed_by(script: str) -> Any:
    process = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True)
    return json.loads(process.stdout)


def test_nothing_is_collected_while_importing_and_garbage_is_afterwards() -> None:
    assert printed_by(COLLECTIONS) == [True, True, True, True]


@pytest.mark.slow
def test_what_a_run_has_no_use_for_is_imported_by_those_who_have() -> None:
    assert printed_by(OPTIONAL) == []
