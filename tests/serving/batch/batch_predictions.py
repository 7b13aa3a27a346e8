"""Tasks and answers of batch predictions with the tiny model of `pushed_models`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from pipeline.config import DataConfig
from serving.batch.task import Task

HEADER = "id,größe (cm),count,payment\n"


def make_task(pushed: Path, directory: Path, **fields: Any) -> Task:
    """Returns a task for the CSV files in `directory`/in, with the model of bias 0."""
    data = fields.pop("data", DataConfig(path="-"))
    defaults = {
        "inputs": (str(directory / "in" / "*"),),
        "output": str(directory / "out"),
        "model": str(pushed / "1"),
        "version": "1",
        "key": "id",
        "data": data.model_dump_json(),
    }
    return Task(**{**defaults, **fields})


def write_csv(directory: Path, name: str, *lines: str) -> Path:
    """Writes a CSV file with the tiny model's columns to `directory`/in."""
    path = directory / "in" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_many(directory: Path, rows: int, name: str = "many.csv") -> Path:
    """Writes rows whose probability is count / 100; the counts go from 0 to 49."""
    return write_csv(directory, name, *(f"k{i},0,{i % 50},Card" for i in range(rows)))


def write_row_groups(directory: Path) -> None:
    """Writes a Parquet file of 75 rows in several row groups."""
    counts = pa.array(range(75), pa.int64())
    columns = {"id": counts, "größe (cm)": pa.array([0.0] * 75), "count": counts}
    table = pa.table({**columns, "payment": ["Card"] * 75})
    (directory / "in").mkdir(exist_ok=True)
    pq.write_table(table, directory / "in/c.parquet", row_group_size=20)


def write_mixed_inputs(directory: Path) -> None:
    """Writes CSV files, one with bad rows, and a Parquet file of several row groups."""
    write_many(directory, 100, "a.csv")
    write_csv(directory, "b.csv", "1,0,1,Cash", "2,x,1,Cash", "3,0", "4,0,4,Cash")
    write_row_groups(directory)


def read_predictions(task: Task) -> pa.Table:
    """Returns the predictions in the output directory, in the order of the files' names."""
    paths = sorted(Path(task.output).rglob(f"*.{task.format}"))
    read = pq.read_table if task.format == "parquet" else pa_csv.read_csv
    tables = [read(path) for path in paths if path.name != "bad_rows.csv"]
    return pa.concat_tables(tables)


def read_bad_rows(task: Task) -> list[str]:
    """Returns the lines of the side file below its header."""
    text = (Path(task.output) / "bad_rows.csv").read_text(encoding="utf-8")
    return text.splitlines()[1:]
