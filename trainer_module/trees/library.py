"""Loads LightGBM, for all modules of this package.

Threads of LightGBM wait for each other some hundred times in each tree. How they wait decides the
time of a training, on tables of any size (`docs/trees.md` has the figures):

- Threads that sleep at once wake up late: on two idle cores, a tree took seven times as long.
- Threads that spin for milliseconds, as is OpenMP's default, keep the cores from the threads that
  they wait for, as soon as other processes use the same cores.

So the threads spin for some microseconds, and then sleep. OpenMP reads the variables when the
library is loaded.
"""

from __future__ import annotations

import os

from pipeline.core.errors import PipelineError

if "OMP_WAIT_POLICY" not in os.environ:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    # GNU's OpenMP, which Linux has, reads this in place of the policy.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

try:
    import lightgbm
except OSError as error:
    raise PipelineError(
        f"LightGBM cannot be loaded: {error}",
        "install OpenMP's library: `apt-get install libgomp1` on Debian and Ubuntu, "
        "`brew install libomp` on macOS",
    ) from error

__all__ = ["lightgbm"]
