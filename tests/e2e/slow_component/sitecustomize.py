"""Python loads this at its start, where PYTHONPATH says so: one component becomes very slow.

It stops at one moment (SLOW_AT: `start` or `end` of its work, or at its second `backup`) of
SLOW_NODE, leaves its process's number in SLOW_FILE, and goes on when that file is gone. So an
accident can be made to happen within components that take a hundredth of a second. Nothing of the
project is replaced.
"""

import functools
import importlib.abc
import importlib.util
import os
import sys
import time
from pathlib import Path

NODE, MOMENT = os.environ.get("SLOW_NODE"), os.environ.get("SLOW_AT")


def stop_here():
    place = Path(os.environ["SLOW_FILE"])
    staged = place.with_suffix(".part")
    staged.write_text(str(os.getpid()))
    staged.rename(place)
    while place.exists():
        time.sleep(0.02)


def slow_executor(module):
    run = module.run_with_executor

    def slow(execution_info, executor):
        is_it = execution_info.pipeline_node.node_info.id == NODE
        if is_it and MOMENT == "start":
            stop_here()
        result = run(execution_info, executor)
        if is_it and MOMENT == "end":
            stop_here()
        return result

    module.run_with_executor = slow


def slow_backup(module):
    save = module.CheckpointManager.save
    saved = []

    @functools.wraps(save)
    def slow(self, *args, **kwargs):
        saved.append(self)
        if MOMENT == "backup" and len(saved) == 2:
            stop_here()
        return save(self, *args, **kwargs)

    module.CheckpointManager.save = slow


CHANGES = {
    "tfx.orchestration.portable.python_executor_operator": slow_executor,
    "tensorflow.python.checkpoint.checkpoint_management": slow_backup,
}


class Finder(importlib.abc.MetaPathFinder):
    """Lets the others find the module, and changes it when it has been loaded."""

    def find_spec(self, name, path, target=None):
        if name not in CHANGES:
            return None
        change = CHANGES.pop(name)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_change(module):
            load(module)
            change(module)

        spec.loader.exec_module = load_and_change
        return spec


if NODE:
    sys.meta_path.insert(0, Finder())
