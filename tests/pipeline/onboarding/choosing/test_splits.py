"""Shares, key and seed of the split."""

import numpy as np
import pytest

from components.columnar_example_gen.times.boundaries import build_time_splitter
from components.tables.typed_table import TypedTable
from pipeline.onboarding import Overrides


@pytest.mark.parametrize(("rows", "test"), [(200, 0.2), (3000, 0.15), (10_000, 0.1)])
def test_small_tables_get_larger_eval_and_test_shares(propose, signal, rows, test):
    split = propose(signal(rows)).config.data.split
    assert (split.by, split.eval, split.test) == ("row", test, test)


def test_rare_class_gets_larger_eval_and_test_shares(propose, signal):
    table = signal(20_000)
    table["y"] = [int(x > 2.6) for x in table["x"]]
    proposal = propose(table)
    assert proposal.config.data.split.test == 0.2
    assert any("of the rarer class" in w for w in proposal.warnings)


def test_seed_is_found_with_which_every_split_has_every_class(propose, signal, tmp_path):
    table = signal(60)
    table["y"] = ["rare" if i % 12 == 0 else "common" for i in range(60)]
    proposal = propose(table)
    assert not any("no row of" in w for w in proposal.warnings)
    text = (tmp_path / "config.yaml").read_text()
    assert f"seed: {proposal.config.data.split.seed} " in text
    assert "# gives every split at least 1 row of every class" in text


def test_rows_of_a_split_by_time_are_those_that_example_gen_finds(propose, signal, tmp_path):
    days = [f"2024-01-{1 + i % 25:02d}" for i in range(500)]
    proposal = propose({**signal(500), "day": days}, overrides=Overrides(time_column="day"))
    config = proposal.config
    table = TypedTable([tmp_path / "trees.csv"], config.data, {"day": "string", "y": "string"}, {})
    splitter = build_time_splitter(table, "day", "y")
    blocks = [block.batch for block in table.blocks(["day", "y"])]
    found = np.bincount(np.concatenate([splitter.assign(batch) for batch in blocks]))
    text = proposal.path.read_text()
    for name, rows in zip(("train", "eval", "test"), found, strict=True):
        assert f"  # {rows} rows" in next(ln for ln in text.splitlines() if f" {name}:" in ln)
    assert "seed:" not in text
