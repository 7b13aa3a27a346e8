"""The process that runs a component's functions for an engine; `worker_pool.py` starts it.

python -m pipeline.runners.worker_harness CONTROL_ADDRESS WORKER_ID
"""

from __future__ import annotations

import os
import sys

from pipeline.core.processes import leave, when_parent_is_gone


def main() -> int:
    """Works for the engine until the engine closes the connection."""
    control, worker = sys.argv[1:]
    # TFX's executors parse sys.argv with absl.
    sys.argv = sys.argv[:1]
    when_parent_is_gone(lambda: os._exit(1))
    # What the process of a local run sets: see pipeline/runners/local/dag_process.py.
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    from apache_beam.runners.worker.sdk_worker import SdkHarness

    SdkHarness(control, worker_id=worker).run()
    return 0


if __name__ == "__main__":
    leave(main())
