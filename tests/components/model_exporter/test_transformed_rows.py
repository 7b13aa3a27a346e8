"""Raw cells pass through the pushed SavedModel of Transform's graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from exported_model import Exported

from components.model_exporter import transformed_rows
from components.model_exporter.batches import read_batches
from components.model_exporter.transformed_rows import SavedTransform

pytestmark = pytest.mark.slow


def test_rows_are_written_in_order_whatever_the_size_of_a_batch(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transform = SavedTransform(str(exported.pushed / "transform"))
    cells = pa.table(
        {
            "größe (cm)": pa.array(exported.test["größe (cm)"], pa.float32()),
            "color": pa.array(exported.test["color"], pa.large_binary()),
        }
    )
    expected = transform.transform(cells)
    monkeypatch.setattr(transformed_rows, "_BATCH_ROWS", 150)
    transform.write_batches(cells, str(tmp_path))
    batches = list(read_batches(str(tmp_path)))
    assert [len(next(iter(batch.values()))) for batch in batches] == [150, 150, 100]
    for name, values in expected.items():
        np.testing.assert_array_equal(np.concatenate([b[name] for b in batches]), values)
    [ids] = [v for v in expected.values() if v.dtype == np.int64]
    missing = np.array([color is None for color in exported.test["color"]])
    assert set(ids[missing, 0]) == {0}
    assert set(ids[~missing, 0]) == {1, 2, 3}
