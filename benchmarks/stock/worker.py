"""Runs the stock pipeline in a process: `python -m benchmarks.stock.worker JOB`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.stock.job import Job
from pipeline.config import Config


def main(path: str) -> None:
    """Runs the stock pipeline of the job in the file `path`."""
    job = Job.read(Path(path))
    # Beam's executors parse sys.argv and would reject the path.
    sys.argv = sys.argv[:1]
    from tfx import v1 as tfx

    from benchmarks.stock.launches import timed_launches
    from benchmarks.stock.pipeline import create_stock_pipeline

    with timed_launches():
        config = Config.model_validate_json(job.config)
        tfx.orchestration.LocalDagRunner().run(create_stock_pipeline(config, job))


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    # Native threads may abort in their destructors after the work; `pipeline run` exits so, too.
    os._exit(0)
