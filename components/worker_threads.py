"""How many threads a Beam worker works with.

Beam's local runner has one process, or as many as the flags say. An engine such as Flink gives each
of its slots one element at a time, and as many slots to a machine as it has cores. There, a second
thread for an element takes the core of another slot.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.processes import available_cores

_MODE = "--direct_running_mode="
_WORKERS = "--direct_num_workers="


def count_threads(args: Sequence[str], cores: int | None = None) -> int:
    """Returns the threads that work on one element of a Beam pipeline.

    Args:
      args: the flags of the pipeline, with its running mode.
      cores: the cores of this machine; None for those that this process may use.
    """
    if not uses_local_runner(args):
        return 1
    cores = cores or available_cores()
    if _find(args, _MODE) in ("", "in_memory"):
        return cores
    # Beam takes 0 for the number of cores.
    workers = int(_find(args, _WORKERS) or 1) or cores
    return max(1, cores // workers)


def limit_tensorflow(threads: int) -> None:
    """Limits TensorFlow's own threads in a worker process to `threads`.

    Does nothing where all cores are used, and in a process whose TensorFlow works already: there,
    the threads cannot be changed.
    """
    if threads >= available_cores():
        return
    # Imported here: the command `predict` starts without TensorFlow.
    import tensorflow as tf

    try:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
    except RuntimeError:
        return


def _find(args: Sequence[str], flag: str) -> str:
    """Returns the last value of a flag, empty without one."""
    return next((arg[len(flag) :] for arg in reversed(args) if arg.startswith(flag)), "")
