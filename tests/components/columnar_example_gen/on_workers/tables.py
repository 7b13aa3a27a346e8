"""Tables in several files, good and bad, for tests that read each of them in two ways."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import DataConfig, LabelConfig

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.5)
REGRESSION = LabelConfig(column="y", task="regression", max_missing=0.5)
_PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


@dataclass(frozen=True)
class Table:
    """The files of a table, by name, and the settings to read them."""

    files: Mapping[str, str | bytes | pa.Table]
    data: Mapping[str, Any] = field(default_factory=dict)
    label: LabelConfig = LABEL
    types: Mapping[str, Any] = field(default_factory=lambda: {"y": "string"})
    reference: str = ""
    refusal: str = ""
    """A part of the expected message; empty for a table that is not refused."""

    def write(self, directory: Path) -> tuple[list[Path], IngestConfig]:
        """Writes the files; returns their paths and the configuration."""
        directory.mkdir()
        paths = []
        for name, content in sorted(self.files.items()):
            path = directory / name
            paths.append(path)
            if isinstance(content, pa.Table):
                pq.write_table(content, path, row_group_size=20)
                continue
            raw = content.encode() if isinstance(content, str) else content
            path.write_bytes(_PACKERS.get(path.suffix, bytes)(raw))
        source = "parquet" if paths[0].suffix == ".parquet" else "csv"
        data = DataConfig(source=source, path=tuple(map(str, paths)), **self.data)
        return paths, IngestConfig(data, self.label, dict(self.types), self.reference)


def rows(begin: int, end: int, *more: str, header: str = "n,y") -> str:
    """Returns a CSV file of numbers with two classes, which ends in `more` lines."""
    lines = (f"{i},{'yes' if i % 2 else 'no'}" for i in range(begin, end))
    return "\n".join([header, *lines, *more]) + "\n"


def with_column(cells: list[Any], begin: int, header: str = "t,n,y") -> str:
    """Returns a CSV file with a column of its own before those of `rows`."""
    lines = rows(begin, begin + len(cells)).splitlines()[1:]
    return (
        "\n".join([header, *(f"{c},{line}" for c, line in zip(cells, lines, strict=True))]) + "\n"
    )


def three(*last: str, header: str = "n,y") -> dict[str, str | bytes | pa.Table]:
    """Returns three files, the last of which ends in `last` lines."""
    return {
        "1.csv": rows(0, 90, header=header),
        "2.csv": rows(90, 150, header=header),
        "3.csv": rows(150, 260, *last, header=header),
    }


def days(first: str, count: int, step: int = 1) -> list[str]:
    begin = dt.date.fromisoformat(first)
    return [str(begin + dt.timedelta(days=step * i)) for i in range(count)]


def _stored(begin: int, count: int, **columns: Any) -> pa.Table:
    own = {
        "i": pa.array([None if i % 9 == 0 else i for i in range(begin, begin + count)], pa.int32()),
        "f": pa.array([i / 4 for i in range(begin, begin + count)], pa.float64()),
        "at": pa.array([dt.datetime(2026, 1, 1 + i % 28, i % 24) for i in range(count)]),
        "word": pa.array([f"w{i % 5}" for i in range(count)]).dictionary_encode(),
        "tags": pa.array([["a"]] * count),
        "y": pa.array(["yes" if i % 2 else "no" for i in range(count)]),
    }
    return pa.table({**own, **columns})


_EURO = "menge;y;preis\n" + "".join(
    f"'1.2{i:02},5 kg';{'ja' if i % 2 else 'nein'};{i},25 €\n" for i in range(100)
)
_GERMAN = {
    "csv": {
        "delimiter": ";", "quote": "'", "encoding": "cp1252", "decimal": ",", "thousands": ".",
        "units": ("€", "kg"), "missing": ("k.A.",),
    }
}  # fmt: skip
_BY_TIME = {"split": {"by": "time", "column": "t", "train": 0.6, "eval": 0.2, "test": 0.2}}
_MANY_CLASSES = [f"{i},class {i}" for i in range(40)]

GOOD: Mapping[str, Table] = {
    "one file": Table({"t.csv": rows(0, 400)}),
    "three files": Table(three()),
    "files that share a part": Table({f"{i:02}.csv": rows(9 * i, 9 * i + 9) for i in range(40)}),
    "german files": Table(
        {f"{i}.csv": _EURO.encode("cp1252") for i in range(3)},
        _GERMAN,
        LABEL.model_copy(update={"classes": ("ja", "nein")}),
    ),
    "without a header": Table(
        {f"{i}.csv": rows(i * 90, i * 90 + 90).split("\n", 1)[1] for i in range(3)},
        {"csv": {"header": False}},
        LABEL.model_copy(update={"column": "column_2"}),
        {"column_2": "string"},
    ),
    "texts with line breaks": Table(
        {
            f"{i}.csv": "s,n,y\n" + "".join(
                f'"two\nlines, {j}", {j} ,{"yes" if j % 3 else "no"}\n' for j in range(80)
            )
            for i in range(3)
        }
    ),
    "compressed files": Table(
        {f"{i}.csv{s}": rows(i * 90, i * 90 + 90) for i, s in enumerate(_PACKERS)}
    ),
    "parquet": Table({f"{i}.parquet": _stored(90 * i, 90) for i in range(3)}),
    "parquet that changes its types": Table(
        {
            "1.parquet": _stored(0, 90),
            "2.parquet": _stored(0, 90, i=pa.array([i / 2 for i in range(90)])),
            "3.parquet": _stored(0, 90, f=pa.array([f"x{i}" for i in range(90)])),
        }
    ),
    "ranges of a parquet file": Table({"1.parquet": _stored(0, 300)}),
    "ranges of a parquet file, a small file and ranges of another": Table(
        {f"{i}.parquet": _stored(150 * i, 20 if i == 1 else 150) for i in range(3)}
    ),
    "ranges of a parquet file by time": Table(
        {"1.parquet": _stored(0, 300)},
        {"split": {"by": "time", "column": "at", "train": 0.6, "eval": 0.2, "test": 0.2}},
    ),
    "a range that becomes wider": Table(
        {"1.parquet": _stored(0, 300, i=pa.array([*map(str, range(250)), *["1.5"] * 50]))}
    ),
    "files with other orders of columns": Table({
        "1.csv": rows(0, 99), "2.csv": "y,n\n" + "".join(f"yes,{i}\nno,{i}\n" for i in range(60)),
    }),
    "missing labels": Table(three(*["1,"] * 30)),
    "an empty file first": Table({"0.csv": "n,y\n", **three()}),
    "an empty file among files": Table({**three(), "2a.csv": "n,y\n", "2b.csv": "n,y"}),
    "configured types": Table(three("1.0,no", "007,no"), types={"y": "string", "n": "int"}),
    "by key": Table(
        {f"{i}.csv": with_column([f"c{j // 3}" for j in range(90)], 90 * i) for i in range(3)},
        {"split": {"by": "key", "column": "t"}},
    ),
    "by numbers": Table(
        {f"{i}.csv": with_column([j * 7 % 101 for j in range(90)], 90 * i) for i in range(3)},
        _BY_TIME,
    ),
    "by fractions": Table(
        {f"{i}.csv": with_column([(j - 40) / 7 for j in range(90)], 90 * i) for i in range(3)},
        _BY_TIME,
    ),
    "by many dates": Table(
        {f"{i}.csv": with_column(days("2001-01-01", 90, 97 + i), 90 * i) for i in range(3)},
        _BY_TIME,
    ),
    "by dates that only the last file explains": Table(
        {
            "1.csv": with_column([f"{d:02}/03/2026" for d in range(1, 12)] * 9, 0),
            "2.csv": with_column([f"{d:02}/02/2026" for d in range(12, 28)] * 6, 99),
        },
        _BY_TIME,
    ),
    "by times that become wider": Table(
        {"1.csv": with_column([1, 2, 3] * 30, 0), "2.csv": with_column([1.5, 2.5] * 45, 90)},
        _BY_TIME,
    ),
    "a wider number later": Table(three("1.5,no")),
    "a text later": Table(three(*["word,no"] * 3)),
    "a code later": Table(three("007,no")),
    "a number beyond float32 later": Table(three("1e49,no")),
    "whole numbers with a point": Table(
        {"1.csv": with_column(["8.0", ""] * 45, 0), "2.csv": with_column(["16777217.0"] * 90, 90)}
    ),
    "first missing, then text": Table(
        {"1.csv": with_column([""] * 90, 0), "2.csv": with_column(["x"] * 90, 90)}
    ),
    "two columns that become wider in two files": Table(
        {
            "1.csv": with_column(["1", "2"] * 45, 0),
            "2.csv": with_column(["1.5", "2"] * 45, 90),
            "3.csv": with_column(["a", "b"] * 45, 180),
        }
    ),
    "a regression": Table(
        {f"{i}.csv": "n,y\n" + "".join(f"{j},{j / 8}\n" for j in range(90)) for i in range(3)},
        label=REGRESSION,
        types={"y": "float"},
    ),
    "a class that train lacks": Table(
        {
            "1.csv": with_column([1, 2, 3] * 30, 0),
            "2.csv": with_column([8, 9] * 45, 90).replace("yes", "late"),
        },
        _BY_TIME,
        LabelConfig(column="y", task="multiclass", classes=("no", "yes", "late")),
    ),
    "a served model": Table(
        three(),
        reference='{"columns": ["n"], "hashing": 3, "settings": {"by": "row", "column": null, '
        '"eval": 0.1, "seed": 7, "test": 0.1, "train": 0.8}}',
    ),
}  # fmt: skip

BAD: Mapping[str, Table] = {
    "only headers": Table(
        {"1.csv": "n,y\n", "2.csv": "n,y\n"}, refusal="the header is there, but no rows"
    ),
    "an empty file": Table({**three(), "2a.csv": ""}, refusal="2a.csv: the file is empty"),
    "other columns": Table({**three(), "4.csv": "m,y\n1,no\n"}, refusal="has no column 'm', but"),
    "no label column": Table(three(header="n,z"), refusal="label.column: the table has no"),
    "a ragged row": Table(three("1"), refusal="3.csv:112: expected 2 cells, found 1"),
    "a ragged row before bad text": Table(
        # Far down: the header is read, and decoded, with the 8 KB around it.
        {**three("1"), "4.csv": rows(0, 1200).encode() + b"\xff\xfe,no\n"},
        refusal="3.csv:112: expected 2",
    ),
    "bad text before a ragged row": Table(
        {**three("1"), "2.csv": rows(0, 50).encode() + b"\xff\xfe,no\n"},
        refusal="2.csv:52: not valid utf-8 text",
    ),
    "an unclosed quote": Table(
        three('"1,no'), refusal="3.csv:112: a quote is opened in this row and never closed"
    ),
    "a damaged gzip file": Table(
        {"1.csv": rows(0, 90), "2.csv.gz": "", "3.csv": rows(0, 9)}, refusal="2.csv.gz: the "
    ),
    "a parquet file that is none": Table(
        {"1.parquet": _stored(0, 90), "2.parquet": b"PAR1"}, refusal="2.parquet: not a Parquet"
    ),
    "bytes that are no text in parquet": Table(
        {
            "1.parquet": _stored(0, 90),
            "2.parquet": _stored(0, 40, word=pa.array([b"\xff\xfe"] * 40)),
        },
        refusal="2.parquet: column 'word' holds bytes",
    ),
    "no time before an unreadable label in a later range": Table(
        {
            "1.parquet": _stored(
                0,
                300,
                at=pa.array([*days("2026-01-01", 70), "soon", *days("2026-01-01", 229)]),
                y=pa.array([*["1.5"] * 271, "x", *["2"] * 28]),
            )
        },
        {"split": {"by": "time", "column": "at", "train": 0.6, "eval": 0.2, "test": 0.2}},
        REGRESSION,
        {"y": "float"},
        refusal="1.parquet: row 71: column 'at': 'soon' is not a time",
    ),
    "a small damaged file before a large one": Table(
        {"1.parquet": b"PAR1", "9.parquet": b"PAR1" * 2000},
        refusal="1.parquet: not a Parquet",
    ),
    "no number in a later range": Table(
        {"1.parquet": _stored(0, 300, i=pa.array([*["1"] * 250, "x", *["2"] * 49]))},
        types={"y": "string", "i": "float"},
        refusal="1.parquet: row 251: column 'i': 'x' is not a number",
    ),
    "no number": Table(
        three("x,no"), types={"y": "string", "n": "float"}, refusal="3.csv:112: column 'n': 'x'"
    ),
    "an infinite number": Table(
        three("1e39,no"), types={"y": "string", "n": "float"}, refusal="'1e39' is infinite"
    ),
    "a ragged row before no number": Table(
        {**three("x,no"), "2.csv": rows(0, 60, "1")},
        types={"y": "string", "n": "float"},
        refusal="2.csv:62: expected 2 cells",
    ),
    "no number before a wider number": Table(
        {
            "1.csv": with_column([1] * 90, 0),
            "2.csv": with_column(["1", "x"], 90),
            "3.csv": with_column(["1"] * 90, 90).replace("91,", "1.5,"),
        },
        types={"y": "string", "t": "int"},
        refusal="2.csv:3: column 't': 'x' is not an integer",
    ),
    "a wider number before a ragged row": Table(
        {**three("1"), "2.csv": rows(0, 60, "1.5,no")}, refusal="3.csv:112: expected 2 cells"
    ),
    "a stray text": Table(
        {**three(), "4.csv": rows(260, 1400), "5.csv": rows(0, 9, "none,no")},
        refusal="5.csv:11: column 'n': 'none' stands among numbers (1 such cells of 1,410)",
    ),
    "two stray texts in two files": Table(
        {f"{i}.csv": rows(0, 1100, f"w{i},no") for i in range(3)},
        refusal="0.csv:1102: column 'n': 'w0' stands among numbers (3 such cells of 3,303)",
    ),
    "an unknown label": Table(
        {**three("1,maybe"), "4.csv": rows(0, 50, "1,maybe", "1,perhaps")},
        refusal="3.csv:112: label 'y': 'maybe' is not one of label.classes "
        "(rows with it: 2; other such values: 1)",
    ),
    "many unknown labels in one file": Table(
        {**three(*_MANY_CLASSES), "2.csv": rows(0, 60, "1,first")},
        refusal="2.csv:62: label 'y': 'first' is not one of label.classes (nor are more than",
    ),
    "many unknown labels in two files, then a ragged row": Table(
        {
            "1.csv": rows(0, 50, *_MANY_CLASSES[:8]),
            "2.csv": rows(0, 50, *_MANY_CLASSES[8:30]),
            "3.csv": rows(0, 50, "1"),
        },
        refusal="1.csv:52: label 'y': 'class 0' is not one of label.classes (nor are more than",
    ),
    "a ragged row before many unknown labels": Table(
        {
            "1.csv": rows(0, 50, *_MANY_CLASSES[:8]),
            "2.csv": rows(0, 50, "1"),
            "3.csv": rows(0, 50, *_MANY_CLASSES[8:30]),
        },
        refusal="2.csv:52: expected 2 cells",
    ),
    "no labels": Table(three(*["1,"] * 900), refusal="900 of 1160 rows have no label, 77.59%"),
    "one label": Table(
        {f"{i}.csv": rows(0, 90).replace("no", "yes") for i in range(3)},
        refusal="every row has the value 'yes'",
    ),
    "one label of a regression": Table(
        {f"{i}.csv": "n,y\n" + "1,0.5\n" * 9 for i in range(3)},
        label=REGRESSION,
        types={"y": "float"},
        refusal="every row has the value 0.5",
    ),
    "one class to train on": Table(
        {
            "1.csv": with_column([1, 2, 3] * 30, 0).replace("yes", "no"),
            "2.csv": with_column([8, 9] * 15, 90),
        },
        _BY_TIME,
        refusal="every training row is of class 'no'; 'yes' occurs only in the other splits",
    ),
    "an empty split": Table(
        {"1.csv": rows(0, 2), "2.csv": rows(2, 3)}, refusal="no row falls into it"
    ),
    "two times": Table(
        {f"{i}.csv": with_column([1, 2] * 45, 0) for i in range(3)},
        _BY_TIME,
        refusal="needs three distinct times, one for each of train, eval and test; 't' has 2",
    ),
    "no time": Table(
        {
            "1.csv": with_column(days("2026-01-01", 90), 0),
            "2.csv": with_column([*days("2026-01-01", 30), "soon"], 90),
            "3.csv": with_column([*days("2026-01-01", 30), "31.12.2026"], 90),
        },
        _BY_TIME,
        refusal="2.csv:32: column 't': 'soon' is not a time like those before it",
    ),
    "times of two formats in two files": Table(
        {
            "1.csv": with_column(["13/01/2026", "14/01/2026"] * 30, 0),
            "2.csv": with_column(["01/02/2026", "01/13/2026"] * 30, 90),
        },
        _BY_TIME,
        refusal="2.csv:3: column 't': '01/13/2026' is not a time",
    ),
    "a ragged row before no time": Table(
        {
            "1.csv": with_column(days("2026-01-01", 90), 0),
            "2.csv": with_column(days("2026-01-01", 90), 0) + "1\n",
            "3.csv": with_column(["soon"], 90),
        },
        _BY_TIME,
        refusal="2.csv:92: expected 3 cells",
    ),
    "no time before a ragged row": Table(
        {
            "1.csv": with_column(days("2026-01-01", 90), 0),
            "2.csv": with_column(["soon"], 90),
            "3.csv": with_column(days("2026-01-01", 90), 0) + "1\n",
        },
        _BY_TIME,
        refusal="2.csv:2: column 't': 'soon' is not a time",
    ),
}
