"""Quantiles of several columns, added up over batches and workers."""

from __future__ import annotations

import numpy as np

from trainer_module.encoding.quantile_sketch import _Sketch


def find_quartiles(*batches: np.ndarray) -> np.ndarray:
    """Returns quartiles by column; each batch has its own accumulator, as on its own worker."""
    sketch = _Sketch(batches[0].shape[1], 4, 1e-3)
    seen = [
        sketch.add_input(sketch.create_accumulator(), (batch.astype(np.float32),))
        for batch in batches
    ]
    return sketch.extract_output(sketch.compact(sketch.merge_accumulators(seen)))


def test_quantiles_are_those_of_all_batches_without_missing_values() -> None:
    numbers = np.arange(1.0, 401.0)
    missing = np.where(numbers % 2 == 0, np.nan, -numbers)
    columns = np.stack([numbers, missing], axis=1)
    found = find_quartiles(columns[:100], columns[100:])
    np.testing.assert_allclose(found, [[100, 200, 300], [-300, -200, -100]], atol=3)


def test_a_column_without_values_has_zeros() -> None:
    nothing = np.full(100, np.nan)
    columns = np.stack([nothing, np.full(100, 7.0)], axis=1)
    assert find_quartiles(columns).tolist() == [[0, 0, 0], [7, 7, 7]]
    assert find_quartiles(nothing[:, np.newaxis]).tolist() == [[0, 0, 0]]
