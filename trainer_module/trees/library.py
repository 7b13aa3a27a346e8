"""Loads LightGBM, for all modules of this package.

Threads of LightGBM wait for each other several times in each tree, and spin while they wait. If
other processes use the same cores, the spinning threads keep those cores from the threads that they
wait for: on two cores with a load of 13, a training took 48 seconds, and 4.6 seconds with threads
that sleep. OpenMP reads the variable when the library is loaded.
"""

from __future__ import annotations

import os

from pipeline.core.errors import PipelineError

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

try:
    import lightgbm
except OSError as error:
    raise PipelineError(
        f"LightGBM cannot be loaded: {error}",
        "install OpenMP's library: `apt-get install libgomp1` on Debian and Ubuntu, "
        "`brew install libomp` on macOS",
    ) from error

__all__ = ["lightgbm"]
