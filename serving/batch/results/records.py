"""Records of finished parts and files, by which a killed prediction is repeated without them.

They lie in a hidden directory of the output. A record is written after its output files, so a
record without its files, or files without a record, count for nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.core.files import is_staged, write_text_atomically
from serving.batch.results.bad_rows import BadRow
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Format

RECORDS_DIRECTORY = ".prediction"
_SUFFIX = ".json"


@dataclass(frozen=True)
class BadCellOfPart:
    """The first bad cell of a row; its line is looked up when the file is finished."""

    row: int
    """Index of the row in the file, counted from 0; ragged rows are not counted."""
    column: str
    reason: str


@dataclass(frozen=True)
class Part:
    """An output file that is complete."""

    output: str
    """The path below the output directory."""
    rows: int
    """The rows in the output file."""
    bytes: int
    bad: tuple[BadCellOfPart, ...] = ()


@dataclass(frozen=True)
class FinishedFile:
    """An input file whose predictions are complete."""

    parts: tuple[Part, ...]
    bad: tuple[BadRow, ...] = ()

    @property
    def rows(self) -> int:
        """The rows with predictions."""
        return sum(part.rows for part in self.parts)

    @property
    def bad_rows(self) -> int:
        """The rows without predictions."""
        return sum(row.lines for row in self.bad)


class Records:
    """The records in an output directory."""

    def __init__(self, output: str) -> None:
        self.output = Path(output)
        self.directory = self.output / RECORDS_DIRECTORY

    def output_of(self, file: InputFile, number: int, form: Format) -> str:
        """Returns the path of a part below the output directory."""
        return f"{file.name}-{number:05}.{form}"

    def read_file(self, file: InputFile) -> FinishedFile | None:
        """Returns the record of a file if it is valid and its parts are whole."""
        content = self._read(self._file_path(file), file.key)
        if content is None:
            return None
        finished = FinishedFile(
            tuple(map(_to_part, content["parts"])), tuple(BadRow(**bad) for bad in content["bad"])
        )
        return finished if all(map(self._is_whole, finished.parts)) else None

    def read_part(self, file: InputFile, number: int) -> Part | None:
        """Returns the record of a part if it is valid and its file is whole."""
        content = self._read(self._part_path(file, number), file.key)
        part = _to_part(content["parts"][0]) if content else None
        return part if part and self._is_whole(part) else None

    def read_parts(self, file: InputFile) -> tuple[Part, ...]:
        """Returns the parts of a file from the first one on, up to a part without a record."""
        parts: list[Part] = []
        while part := self.read_part(file, len(parts)):
            parts.append(part)
        return tuple(parts)

    def write_file(self, file: InputFile, finished: FinishedFile) -> None:
        """Records that a file is finished; the records of its parts are no longer needed."""
        self._write(self._file_path(file), file, asdict(finished))
        for number in range(len(finished.parts)):
            self._part_path(file, number).unlink(missing_ok=True)

    def write_part(self, file: InputFile, number: int, part: Part) -> None:
        """Records that a part is finished."""
        self._write(self._part_path(file, number), file, {"parts": [asdict(part)]})

    def find_others(self, files: Mapping[str, InputFile]) -> list[tuple[Path, Mapping[str, Any]]]:
        """Returns path and content of each record that belongs to none of the files as they are.

        Args:
          files: the input files by name.
        """
        others = []
        for path in sorted(self.directory.rglob(f"*{_SUFFIX}")):
            content = _load(path)
            file = files.get(content.get("name", ""))
            if file is None or file.key != content.get("key"):
                others.append((path, content))
        return others

    def remove(self, record: Path, content: Mapping[str, Any]) -> None:
        """Removes a record with the output files that it names."""
        for part in content.get("parts", ()):
            (self.output / part["output"]).unlink(missing_ok=True)
        record.unlink(missing_ok=True)

    def sweep_staged(self) -> None:
        """Removes unfinished files of a killed prediction."""
        for path in self._walk(self.output):
            if is_staged(path.name):
                path.unlink()

    def _walk(self, directory: Path) -> Iterator[Path]:
        for parent, _, names in os.walk(directory):
            yield from (Path(parent, name) for name in names)

    def _is_whole(self, part: Part) -> bool:
        try:
            return os.path.getsize(self.output / part.output) == part.bytes
        except OSError:
            return False

    def _file_path(self, file: InputFile) -> Path:
        return self.directory / f"{file.name}{_SUFFIX}"

    def _part_path(self, file: InputFile, number: int) -> Path:
        return self.directory / f"{file.name}-{number:05}{_SUFFIX}"

    def _read(self, path: Path, key: str) -> Mapping[str, Any] | None:
        content = _load(path)
        return content if content.get("key") == key else None

    def _write(self, path: Path, file: InputFile, content: Mapping[str, Any]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = {"name": file.name, "key": file.key, **content}
        write_text_atomically(path, json.dumps(fields), durable=False)


def _load(path: Path) -> Mapping[str, Any]:
    """Returns the content of a record, empty if there is none or if it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _to_part(fields: Mapping[str, Any]) -> Part:
    bad = tuple(BadCellOfPart(**cell) for cell in fields["bad"])
    return Part(**{**fields, "bad": bad})
