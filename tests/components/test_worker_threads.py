"""The threads of a Beam worker depend on who runs the pipeline."""

from __future__ import annotations

import subprocess
import sys

import pytest

from components.worker_threads import count_threads
from pipeline.config.sections.beam import RUNNER


@pytest.mark.parametrize(
    ("flags", "threads"),
    [
        ([], 8),
        (["--direct_running_mode=in_memory", "--direct_num_workers=4"], 8),
        (["--direct_running_mode=multi_processing", "--direct_num_workers=4"], 2),
        (["--direct_running_mode=multi_processing", "--direct_num_workers=0"], 1),
        (["--direct_running_mode=multi_processing"], 8),
        (["--direct_running_mode=multi_processing", "--direct_num_workers=20"], 1),
        (["--runner=FlinkRunner"], 1),
        (["--runner=PortableRunner", "--direct_running_mode=in_memory"], 1),
    ],
)
def test_an_engine_gives_an_element_one_thread_and_one_process_gives_it_all(
    flags: list[str], threads: int
) -> None:
    assert count_threads([RUNNER, *flags], cores=8) == threads


_LIMIT = """
from components import worker_threads
worker_threads.available_cores = lambda: 8
import tensorflow as tf
worker_threads.limit_tensorflow(3)
worker_threads.limit_tensorflow(8)
tf.constant(1) + 1
worker_threads.limit_tensorflow(1)
threading = tf.config.threading
print(threading.get_intra_op_parallelism_threads(), threading.get_inter_op_parallelism_threads())
"""


def test_tensorflow_takes_the_limit_of_a_new_process_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LIMIT], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["3", "3"]
