"""ExampleGen ingests untidy tables with the proposed configuration, unedited."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.tables.casting import cast_to_configured, cast_to_inferred, find_narrowest_type
from components.tables.fingerprint import resolve_paths
from components.tables.readers import iter_text_blocks
from trainer_module.encoding.values import as_number


@pytest.fixture
def examples_of(tmp_path):
    def run(config):
        directories = {name: tmp_path / name for name in ("train", "eval", "test")}
        for directory in directories.values():
            directory.mkdir()
        paths, _ = resolve_paths(config.data)
        return ingest(
            paths, IngestConfig(config.data, config.label, config.column_types()), directories
        )

    return run


def decimal_commas(table):
    table["x"] = [str(x).replace(".", ",") for x in table["x"]]
    return table


def markers_everywhere(table):
    table["x"] = ["?" if i % 7 == 0 else x for i, x in enumerate(table["x"])]
    table["flag"] = [("TRUE", "FALSE", "NA")[i % 3] for i in range(len(table["x"]))]
    table["y"] = ["NA" if i % 11 == 0 else y for i, y in enumerate(table["y"])]
    return table


def padded_cells(table):
    table["x"] = [f"  {x} " for x in table["x"]]
    table["z"] = [" " if i % 5 == 0 else f" {i % 9}.5" for i in range(len(table["x"]))]
    return table


def signs_and_exponents(table):
    table["x"] = [f"{x:+.3e}" for x in table["x"]]
    table["huge"] = [f"{x}e60" for x in table["z"]] if "z" in table else [1e39] * len(table["x"])
    return table


def numbers_of_any_size(table):
    rows = len(table["x"])
    table["big"] = [10**25 + i % 50 for i in range(rows)]
    table["huge"] = ["1e400" if i % 50 == 0 else i / 7 for i in range(rows)]
    table["tiny"] = [f"{i % 13}e-50" for i in range(rows)]
    return table


def labels_with_blanks(table):
    table["y"] = [" yes" if y else "no " for y in table["y"]]
    return table


def words_among_numbers(table):
    table["x"] = ["n/v" if i % 3 == 0 else x for i, x in enumerate(table["x"])]
    table["z"] = ["sold out" if i == 5 else i / 3 for i in range(len(table["x"]))]
    return table


def duplicated_rows(table):
    return {name: values[:12] * 40 for name, values in table.items()}


def labels_mostly_missing(table):
    table["y"] = ["" if i % 10 < 8 else y for i, y in enumerate(table["y"])]
    return table


@pytest.mark.parametrize(
    ("make", "dialect"),
    [
        (decimal_commas, {"delimiter": ";"}),
        (markers_everywhere, {}),
        (padded_cells, {}),
        (signs_and_exponents, {}),
        (numbers_of_any_size, {}),
        (labels_with_blanks, {}),
        (words_among_numbers, {}),
        (duplicated_rows, {}),
        (labels_mostly_missing, {}),
    ],
)
def test_untidy_tables_are_ingested_without_losing_rows(
    propose, signal, examples_of, make, dialect
):
    table = make(signal(800))
    proposal = propose(table, **dialect)
    report = examples_of(proposal.config)
    assert all(f.kind == "numeric" for n, f in proposal.config.features.items() if n == "x")
    assert sum(report.rows.values()) + report.rows_without_label == len(table["y"])
    assert min(report.rows.values()) > 10


def test_regression_with_gaps_is_ingested(propose, signal, examples_of):
    table = signal()
    table["y"] = ["-" if i % 9 == 0 else f"{x * 100:.1f}" for i, x in enumerate(table["x"])]
    report = examples_of(propose(table).config)
    assert report.rows_without_label == 45


def test_comments_state_the_rows_of_each_split(propose, signal, examples_of, tmp_path):
    proposal = propose(signal())
    text = (tmp_path / "config.yaml").read_text()
    for name, rows in examples_of(proposal.config).rows.items():
        assert f"  # {rows} rows" in next(ln for ln in text.splitlines() if f" {name}:" in ln)


def test_five_hundred_columns_are_ingested(propose, signal, examples_of):
    table = signal(300)
    table |= {f"f{j}": [(i * j) % 97 for i in range(300)] for j in range(500)}
    report = examples_of(propose(table).config)
    assert sum(report.rows.values()) == 300


def write_numbers(random, rows):
    """Returns numbers in one or two forms, some with a unit, among markers and other words."""
    forms = random.choice(["{:.2f}", "{:.0f}", "{:,.2f}", "0{:.1f}", "{:.3e}", "({:.1f})"], 2)
    units = [*random.choice([" kg", "EUR", " %", "k", " km/h", " €"], 2), "", ""]
    words = [*random.choice(["NA", "-", "n/v", "many", "from 5", "?"], 3)]
    shares = random.choice([0, 0.02, 0.1, 0.5], 3)
    cells = []
    for size in np.exp(random.normal(size=rows) + random.choice([0, 7])):
        is_odd, is_bare, is_word = random.random(3) < shares
        cell = forms[int(is_odd)].format(size) + ("" if is_bare else units[random.integers(2) * 2])
        cells.append(str(random.choice(words)) if is_word else cell)
    return cells


@pytest.mark.parametrize("seed", range(10))
def test_the_run_can_read_every_column_that_is_proposed_as_numbers(propose, signal, seed):
    """ExampleGen reads a column as numbers, or Transform finds few enough unreadable cells."""
    random = np.random.default_rng(seed)
    columns = {f"n{i}": write_numbers(random, 400) for i in range(8)}
    proposal = propose({**signal(), **columns}, delimiter=";")
    data = proposal.config.data
    table = pa.Table.from_batches(iter_text_blocks([Path("trees.csv")], data.csv))
    for name in columns:
        feature = proposal.config.features.get(name)
        if feature is None or feature.kind != "numeric":
            continue
        cells = table[name].combine_chunks().drop_null()
        column_type = data.types.get(name) or find_narrowest_type(cells, data.csv)
        if column_type != "string":
            cast = cast_to_configured if name in data.types else cast_to_inferred
            assert not cast(cells, column_type, data.csv).null_count
            continue
        is_unreadable = np.isnan(as_number(tf.constant(cells.to_pylist())).numpy())
        assert is_unreadable.mean() <= feature.max_unreadable
        assert any(w.startswith(f"{name}: numbers, but also") for w in proposal.warnings)
