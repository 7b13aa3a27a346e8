"""Records of finished parts and files, by which a killed prediction is repeated without them.

They lie in a hidden directory of the output. A record is written after its output files, so a
record without its files, or files without a record, count for nothing. A note is written before
each output file: by the note, a later prediction finds a file that a kill left without a record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from pipeline.core.files import STAGED_SUFFIX
from serving.batch.results.bad_rows import BadRow
from serving.batch.results.output_files import open_output
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Format

RECORDS_DIRECTORY = ".prediction"
_SUFFIX = ".json"
_NOTE = ".begun"
"""Tells the name of a note from that of the record of the same part."""
_STAGED = re.compile(
    rf"\.(.+-\d{{5,}}\.({'|'.join(get_args(Format))})|bad_rows\.csv|manifest\.json|_SUCCESS)"
    rf"\.[0-9a-f]{{8}}{re.escape(STAGED_SUFFIX)}"
)
"""Unfinished predictions, and the last files of the directory; see `staged_name`."""
_RECORD_OF_PART = re.compile(rf"{re.escape(RECORDS_DIRECTORY)}/(.+)-(\d{{5,}}){re.escape(_SUFFIX)}")


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
    """The records in an output."""

    def __init__(self, output: str) -> None:
        self._files = open_output(output)

    def output_of(self, file: InputFile, number: int, form: Format) -> str:
        """Returns the path of a part below the output directory."""
        return f"{file.name}-{number:05}.{form}"

    def read_files(self, files: Sequence[InputFile]) -> dict[str, FinishedFile]:
        """Returns the records of those files that have a valid one, by name."""
        found = zip(files, self._files.map(self.read_file, files), strict=True)
        return {file.name: record for file, record in found if record}

    def read_file(self, file: InputFile) -> FinishedFile | None:
        """Returns the record of a file if it is valid and its parts are whole."""
        content = self._read(_name_record(file), file.key)
        if content is None:
            return None
        finished = FinishedFile(
            tuple(map(_to_part, content["parts"])), tuple(BadRow(**bad) for bad in content["bad"])
        )
        return finished if all(map(self._is_whole, finished.parts)) else None

    def read_part(self, file: InputFile, number: int) -> Part | None:
        """Returns the record of a part if it is valid and its file is whole."""
        content = self._read(_name_record(file, number), file.key)
        part = _to_part(content["parts"][0]) if content else None
        return part if part and self._is_whole(part) else None

    def read_parts(self, file: InputFile) -> tuple[Part, ...]:
        """Returns the parts of a file from the first one on, up to a part without a record."""
        parts: list[Part] = []
        while part := self.read_part(file, len(parts)):
            parts.append(part)
        return tuple(parts)

    def count_rows(self, files: Sequence[InputFile]) -> int:
        """Returns the rows in the finished parts of unfinished files, bad rows included."""
        by_name = {file.name: file for file in files}
        names = map(_RECORD_OF_PART.fullmatch, self._files.list(RECORDS_DIRECTORY))
        known = [(by_name[m[1]], int(m[2])) for m in names if m and m[1] in by_name]
        parts = self._files.map(lambda one: self.read_part(*one), known)
        return sum(part.rows + len(part.bad) for part in parts if part)

    def write_file(self, file: InputFile, finished: FinishedFile) -> None:
        """Records that a file is finished; the records of its parts are no longer needed."""
        self._write(_name_record(file), file, asdict(finished))
        for number in range(len(finished.parts)):
            self._files.remove(_name_record(file, number))
            self._files.remove(_name_record(file, number, _NOTE))

    def note_part(self, file: InputFile, number: int, output: str) -> None:
        """Notes that a part will be written, so that `find_others` knows its output file."""
        content = {"parts": [{"output": output}]}
        self._write(_name_record(file, number, _NOTE), file, content)

    def write_part(self, file: InputFile, number: int, part: Part) -> None:
        """Records that a part is finished."""
        self._write(_name_record(file, number), file, {"parts": [asdict(part)]})

    def find_others(self, files: Mapping[str, InputFile]) -> list[tuple[str, Mapping[str, Any]]]:
        """Returns name and content of each record that belongs to none of the files as they are.

        Args:
          files: the input files by name.
        """
        names = sorted(n for n in self._files.list(RECORDS_DIRECTORY) if n.endswith(_SUFFIX))
        others = []
        for name, content in zip(names, self._files.map(self._load, names), strict=True):
            file = files.get(content.get("name", ""))
            if file is None or file.key != content.get("key"):
                others.append((name, content))
        return others

    def remove(self, record: str, content: Mapping[str, Any]) -> None:
        """Removes a record with the output files that it names."""
        for part in content.get("parts", ()):
            self._files.remove(part["output"])
        self._files.remove(record)

    def sweep_staged(self) -> None:
        """Removes unfinished files of a killed prediction."""
        self._files.sweep_staged(_is_own)

    def _is_whole(self, part: Part) -> bool:
        return self._files.measure(part.output) == part.bytes

    def _read(self, name: str, key: str) -> Mapping[str, Any] | None:
        content = self._load(name)
        return content if content.get("key") == key else None

    def _write(self, name: str, file: InputFile, content: Mapping[str, Any]) -> None:
        fields = {"name": file.name, "key": file.key, **content}
        self._files.write(name, json.dumps(fields).encode(), durable=False)

    def _load(self, name: str) -> Mapping[str, Any]:
        """Returns the content of a record, empty if there is none or if it is damaged."""
        try:
            content = json.loads(self._files.read(name) or b"")
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}


def _name_record(file: InputFile, number: int | None = None, kind: str = "") -> str:
    part = "" if number is None else f"-{number:05}"
    return f"{RECORDS_DIRECTORY}/{file.name}{part}{kind}{_SUFFIX}"


def _is_own(name: str) -> bool:
    folder, _, base = name.rpartition("/")
    is_record = folder == RECORDS_DIRECTORY or folder.startswith(f"{RECORDS_DIRECTORY}/")
    return is_record or _STAGED.fullmatch(base) is not None


def _to_part(fields: Mapping[str, Any]) -> Part:
    bad = tuple(BadCellOfPart(**cell) for cell in fields["bad"])
    return Part(**{**fields, "bad": bad})
