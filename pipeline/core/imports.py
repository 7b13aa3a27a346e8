"""How a process takes in TensorFlow and TFX: without what only costs time."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator

_OPTIONAL = ("kubernetes_validate", "matplotlib")
"""What the client of Kubernetes and Keras import if they find it, and no run has a use for.

Measured in this project's environment, of 9.6 s of CPU time until the DAG can run: 2.1 s for
checks of Kubernetes' objects, with a parser of addresses that is built each time, and 0.7 s for
plots.
"""


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """For imports: what they make stays, and looking for garbage in it takes a fifth of their time.

    Later collections leave it out as well. And libraries find none of those that they can do
    without; whoever imports these afterwards gets them.
    """
    absent = [name for name in _OPTIONAL if name not in sys.modules]
    # As the import system has it, None is a module that is known not to be there.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
        for name in absent:
            sys.modules.pop(name, None)
