import csv
from pathlib import Path

from serving.batch.results.bad_rows import BadRow, write_bad_rows
from serving.batch.results.output_files import open_output


def test_the_side_file_is_a_table_that_a_terminal_can_show(tmp_path: Path) -> None:
    rows = [
        ("/in/a.csv", BadRow(7, "x", "'\x1b[2J', \"no\" number")),
        ("/in/a.csv", BadRow(9, "", "expected 3 cells, found 2", lines=2)),
    ]
    assert write_bad_rows(open_output(str(tmp_path)), rows) == 2
    with (tmp_path / "bad_rows.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["file", "line", "column", "reason"],
            ["/in/a.csv", "7", "x", "'\\x1b[2J', \"no\" number"],
            ["/in/a.csv", "9", "", "expected 3 cells, found 2"],
        ]
