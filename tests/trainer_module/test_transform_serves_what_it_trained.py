"""The trainer reads what the served model computes from the same raw rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import LABELS, SPECIAL_FEATURES, special_table
from tiny_run import Table, column_type, custom_config, to_example, transform

from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from trainer_module.input.examples import open_examples

pytestmark = pytest.mark.slow

_MISSING = {"int": MISSING_INT, "float": float("nan"), "string": MISSING_STRING}


_DTYPES = {"int": tf.int64, "float": tf.float32, "string": tf.string}


_CELLS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.sampled_from([0, 1, -1, 4, 2**53 + 1, 2**63 - 1]) | st.integers(-(2**63) + 1, 9),
    "float": st.sampled_from([0.0, -0.0, 1e-38, 3.4e38]) | st.floats(width=32, allow_nan=False),
    "string": st.sampled_from(["", "Cash", "für später", "late LATE", "yes", " ", "a\tb", "a\nb"])
    | st.sampled_from(["2026-02-30", "2026-02-28 23:59", "0001-01-01", "__missing__"])
    | st.text(max_size=12),
}


@st.composite
def tables(draw: st.DrawFn, types: dict[str, str], rows: int) -> Table:
    """Tables of arbitrary cells in the columns of `special_table`."""
    return {
        name: draw(st.lists(st.none() | _CELLS[kind], min_size=rows, max_size=rows))
        for name, kind in types.items()
    }


# Each example runs Transform, so there are few examples with many rows.
@pytest.mark.parametrize("parquet", [True, pytest.param(False, marks=pytest.mark.long)])
@settings(max_examples=2)
@given(st.data())
def test_the_trainer_reads_what_the_served_model_computes(
    tmp_path_factory: pytest.TempPathFactory, parquet: bool, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("served")
    train = special_table(120, 0, "binary")
    types = {name: column_type(values) for name, values in train.items()}
    rows = data.draw(tables(types, rows=60))
    config = custom_config(SPECIAL_FEATURES, LABELS["binary"])
    fn_args = transform(root, {"train": train, "eval": rows}, config, types, parquet)

    output = tft.TFTransformOutput(fn_args.transform_graph_path)
    spec = output.transformed_feature_spec()
    examples = open_examples(fn_args.eval_files, spec)
    trained = examples.layout.views(examples.load(0, examples.row_count))
    layer = output.transform_features_layer()
    served = layer(_dense(rows, types))
    parsed = layer(_parsed(rows, types, output.raw_feature_spec()))

    assert set(trained) == set(spec) == set(served)
    for name, expected in trained.items():
        assert np.isfinite(expected).all(), name
        np.testing.assert_array_equal(served[name], expected, err_msg=name)
        np.testing.assert_array_equal(parsed[name], expected, err_msg=name)


def _dense(table: Table, types: dict[str, str]) -> dict[str, tf.Tensor]:
    """The rows as a client of `serving_default` sends them."""
    return {
        name: tf.constant(
            [[_MISSING[types[name]] if cell is None else cell] for cell in cells],
            _DTYPES[types[name]],
        )
        for name, cells in table.items()
    }


def _parsed(table: Table, types: dict[str, str], spec: Any) -> dict[str, tf.Tensor]:
    """The rows as a client of `serving_examples` sends them."""
    count = len(next(iter(table.values())))
    rows = [{name: cells[i] for name, cells in table.items()} for i in range(count)]
    serialized = [to_example(row, types).SerializeToString() for row in rows]
    return tf.io.parse_example(tf.constant(serialized), spec)
