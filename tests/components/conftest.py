"""Fixtures for the tests of all components."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

WriteFile = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    """Returns a function that writes a file below `tmp_path`, gzipped if its name ends in .gz."""

    def write_file(name: str, text: str | bytes, encoding: str = "utf-8") -> Path:
        content = text if isinstance(text, bytes) else text.encode(encoding)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write_file
