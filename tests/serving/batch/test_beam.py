import dataclasses
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from batch_predictions import make_task, read_bad_rows, read_predictions, write_csv, write_many

from pipeline.core.errors import DataError
from serving.batch.predict import predict

BEAM = ("--direct_running_mode=in_memory", "--sdk_container_image=none")


def test_beam_writes_what_one_machine_writes(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 100, "a.csv")
    write_csv(tmp_path, "b.csv", "1,0,1,Cash", "2,x,1,Cash", "3,0", "4,0,4,Cash")
    counts = pa.array(range(75), pa.int64())
    columns = {"id": counts, "größe (cm)": pa.array([0.0] * 75), "count": counts}
    table = pa.table({**columns, "payment": ["Card"] * 75})
    pq.write_table(table, tmp_path / "in" / "c.parquet", row_group_size=20)
    task = make_task(pushed, tmp_path, part_rows=30, columns=("payment",), format="csv")
    task = dataclasses.replace(task, max_bad_rows="2")
    here = predict(task)
    on_beam = dataclasses.replace(task, output=str(tmp_path / "beam"), beam=BEAM)
    outcome = predict(on_beam)
    assert (outcome.rows, outcome.bad_rows) == (here.rows, here.bad_rows) == (177, 2)
    assert read_bad_rows(on_beam) == read_bad_rows(task)
    written = {path.name: path.read_bytes() for path in Path(task.output).glob("*.csv")}
    assert len(written) == 9
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "beam").glob("*.csv")}
    assert predict(on_beam).reused_files == 3


def test_a_workers_refusal_keeps_its_words(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path, "a.csv", "1,0,1,Cash")
    path.write_bytes(path.read_bytes() + b"2,0,1,\xff\n")
    task = make_task(pushed, tmp_path, beam=BEAM)
    with pytest.raises(DataError, match=r"a\.csv:3: not valid utf-8 text"):
        predict(task)
    path.write_text(path.read_bytes()[:-8].decode(), encoding="utf-8")
    predict(task)
    assert read_predictions(task)["id"].to_pylist() == ["1"]
