"""Reading Parquet files of transformed examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from numbered_rows import ROWS, SPEC, write_row_groups

from pipeline.core.errors import DataError
from trainer_module.input.examples import Examples, open_examples


def test_the_size_is_that_of_all_files(examples: Examples) -> None:
    assert examples.row_count == ROWS
    assert examples.row_bytes == 8 + 2 * 4 + 4
    assert sorted(examples.labels) == sorted(-float(n) for n in range(ROWS))


def test_a_range_of_rows_spans_files_and_row_groups(examples: Examples) -> None:
    part = examples.layout.views(examples.load(10, 75))
    assert part["pair"].shape == (65, 2)
    assert len(set(part["row"][:, 0])) == 65


def test_a_split_without_examples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing-\*: the split has no examples"):
        open_examples([f"{tmp_path}/nothing-*"], SPEC)
    write_row_groups(tmp_path / "empty", [])
    with pytest.raises(DataError, match="has no examples"):
        open_examples([f"{tmp_path}/empty"], SPEC)
