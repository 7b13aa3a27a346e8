"""Tells failures of one part's training, which a blend may do without, from all others.

A part can diverge, need more memory than there is, or be refused by LightGBM. An error in the
configuration, in the data or in the code concerns all parts: no part is left out because of it. Nor
is one left out because its backup is damaged: the message tells how to train it again.
"""

from __future__ import annotations

import tensorflow as tf

from pipeline.core.errors import DivergenceError, PipelineError
from trainer_module.trees.library import lightgbm

_OUT_OF_MEMORY = (MemoryError, tf.errors.ResourceExhaustedError)


def concerns_one_part(error: Exception, workers: int) -> bool:
    """Whether the other parts can be trained after this error of a part.

    Args:
      workers: the processes that train the part. If one of several runs out of memory, the others
        wait for it, and only a restart of all goes on.
    """
    if isinstance(error, PipelineError):
        return isinstance(error, DivergenceError)
    # All errors of LightGBM's C++ code have this class, also those for lack of memory.
    if isinstance(error, lightgbm.basic.LightGBMError):
        return True
    return workers == 1 and isinstance(error, _OUT_OF_MEMORY)
