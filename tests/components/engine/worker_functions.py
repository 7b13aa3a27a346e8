"""What the tests' jobs do. Workers import this module, as they cannot import a module of tests."""

import time
from pathlib import Path

from pipeline.core.errors import DataError


def refuse(row: int) -> None:
    """Refuses the data."""
    raise DataError(f"row {row}: no number")


def write_and_sleep(path: str) -> None:
    """Tells the test that a worker is at work, and works for minutes."""
    Path(path).touch()
    time.sleep(300)
