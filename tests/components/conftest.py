"""Tables of a few rows, as files."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

WriteFile = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> WriteFile:
    """Writes text under a name below the test's own folder, gzipped if the name says so."""

    def write_file(name: str, text: str | bytes, encoding: str = "utf-8") -> Path:
        content = text if isinstance(text, bytes) else text.encode(encoding)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write_file
