"""What takes long to make, made once for all processes of xdist."""

from __future__ import annotations

import fcntl
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """Returns what `make` made in a directory of its own; other processes wait for the first.

    Tests may read the files, and must not change them. What `make` returns has to be picklable.
    """
    own = factory.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "made_once" / name
    place.mkdir(parents=True, exist_ok=True)
    result = place / "result.pickle"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            made = pickle.dumps(make(Path(tempfile.mkdtemp(prefix=f"{name}-", dir=place))))
            result.write_bytes(made)
    loaded: T = pickle.loads(result.read_bytes())
    return loaded
