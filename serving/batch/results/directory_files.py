"""The files of an output directory on a file system."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.core.files import is_staged, staged_name, sync, write_bytes_atomically


class DirectoryFiles:
    """Implements `OutputFiles`, with the words of its methods."""

    map = staticmethod(map)

    def __init__(self, output: str) -> None:
        self._output = Path(output)

    def locate(self, name: str) -> str:
        return str(self._output / name)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._output / name).read_bytes()
        except OSError:
            return None

    def measure(self, name: str) -> int | None:
        try:
            return (self._output / name).stat().st_size
        except OSError:
            return None

    def list(self, folder: str) -> list[str]:
        return [
            os.path.relpath(os.path.join(parent, name), self._output)
            for parent, _, names in os.walk(self._output / folder)
            for name in names
        ]

    def write(self, name: str, content: bytes, *, durable: bool) -> None:
        path = self._output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomically(path, content, durable=durable)

    @contextmanager
    def stage(self, name: str) -> Iterator[str]:
        path = self._output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = str(path.with_name(staged_name(path.name)))
        try:
            yield staged
            os.replace(staged, path)
        finally:
            if os.path.lexists(staged):
                os.unlink(staged)

    def remove(self, name: str) -> None:
        (self._output / name).unlink(missing_ok=True)

    def sync(self, names: Iterable[str]) -> None:
        for name in names:
            sync(self._output / name)

    def sweep_staged(self, is_own: Callable[[str], bool]) -> None:
        for name in self.list(""):
            if is_staged(os.path.basename(name)) and is_own(name):
                self.remove(name)
