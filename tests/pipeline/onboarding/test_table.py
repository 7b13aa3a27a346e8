"""One pass over a table."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.core.errors import DataError
from pipeline.onboarding import propose_config
from pipeline.onboarding.table import read_table


def test_columns_without_a_name_are_named_by_position(propose):
    proposal = propose("x,,  ,y\n" + "".join(f"{i},{i % 3},{i % 5}.5,{i % 2}\n" for i in range(90)))
    assert {"column_2", "column_3"} <= set(proposal.config.features)


def test_table_is_read_once_with_all_facts(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("x;y\n1,5;0\n?;1\n" + "2,5;1\n" * 20)
    table = read_table([str(path)], "y")
    assert (table.scan.rows, list(table.columns)) == (22, ["x", "y"])
    assert (table.csv.delimiter, table.csv.decimal, table.csv.missing) == (";", ",", ("", "?"))
    assert table.columns["x"].missing == 1


def test_table_without_rows_is_refused(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("x,y\n")
    with pytest.raises(DataError, match="no row below the header"):
        read_table([str(path)], "y")


def test_a_list_column_is_left_out_and_said_so(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    table = signal() | {"tags": [["a", "b"]] * 400, "size": [{"w": 1}] * 400}
    pq.write_table(pa.table(table), "t.parquet")
    proposal = propose_config(["t.parquet"], "y", tmp_path / "my.yaml")
    assert list(proposal.config.features) == ["x", "c"]
    left_out = [w for w in proposal.warnings if "is not one value" in w]
    assert [w.partition(":")[0] for w in left_out] == ["tags", "size"]
    assert all("join its items to one text" in w for w in left_out)
    with pytest.raises(DataError, match="column 'tags' is of type list<"):
        propose_config(["t.parquet"], "tags", tmp_path / "my.yaml", force=True)
