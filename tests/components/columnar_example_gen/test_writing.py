"""The rows of parts become shards that hold rows of one part each."""

from pathlib import Path

import pyarrow.parquet as pq

from components.columnar_example_gen.label_checks import LabelCheck
from components.columnar_example_gen.parts import Part
from components.columnar_example_gen.shards import prepare_directory, publish_shards
from components.columnar_example_gen.writing import write_parts
from components.tables.splitting.splits import RowSplitter
from components.tables.typed_table import TypedTable
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.contracts import Split

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"))


def test_each_part_begins_new_shards_and_rows_keep_their_order(tmp_path, write):
    files = [
        write(f"{f}.csv", "n,y\n" + "".join(f"{100 * f + i},yes\n" for i in range(100)))
        for f in range(3)
    ]
    parts = [Part(0, tuple(files[:2])), Part(1, (files[2],))]
    directories = {name: tmp_path / name for name in Split.ALL}
    for directory in directories.values():
        prepare_directory(directory)
    data = DataConfig(path=tuple(map(str, files)))
    table = TypedTable(files, data, {"y": "string"}, {"n": "int"})
    labels = LabelCheck(LABEL, data)
    shards = write_parts(table, parts, RowSplitter(data.split, "y"), labels, directories)
    assert labels.tally.rows == sum(rows for _, rows in shards.values()) == 300
    publish_shards(directories["train"], shards["train"][0])
    first, second = (read_numbers(path) for path in sorted(directories["train"].iterdir()))
    assert max(first) < 200 <= min(second)
    assert first + second == sorted(first + second)


def read_numbers(path: Path) -> list[int]:
    return [cell for [cell] in pq.read_table(path)["n"].to_pylist()]
