"""Start-up of the working process: what is imported is not searched for garbage."""

import json
import subprocess
import sys

SCRIPT = """
import gc, json, weakref
from pipeline.runners.working import without_collections
class Node: pass
def cycle():
    node = Node(); node.itself = node
    return weakref.ref(node)
gc.set_threshold(1)
with without_collections():
    imported = cycle()
    import http.server
    kept = imported() is not None
later = cycle()
gc.collect()
print(json.dumps([kept, imported() is not None, later() is None, gc.isenabled()]))
"""


def test_nothing_is_collected_while_importing_and_garbage_is_afterwards() -> None:
    process = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True)
    assert json.loads(process.stdout) == [True, True, True, True]
