"""Decodes serialized tf.Examples to Arrow batches of single values, as tables have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder

from components.tables.arrays import replace_nan_with_null


class RecordDecoder:
    """Decodes batches of serialized tf.Examples; one object for each process."""

    def __init__(self) -> None:
        self._decoder = ExamplesToRecordBatchDecoder()

    def find_names(self, records: Sequence[bytes]) -> list[str]:
        """Returns the names of the features that any of the records has."""
        return list(self._decoder.DecodeBatch(list(records)).schema.names)

    def decode(self, records: Sequence[bytes], names: Collection[str]) -> pa.RecordBatch:
        """Returns the features `names` as int64, float32 or utf8; null where there is no value.

        A feature with several values in a record becomes text that lists them.
        """
        batch = self._decoder.DecodeBatch(list(records))
        found = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns = {
            name: _single_values(found[name]) if name in found else pa.nulls(len(records), _TEXT)
            for name in sorted(names)
        }
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


_TEXT = pa.string()


def _single_values(lists: pa.Array) -> pa.Array:
    if pa.types.is_null(lists.type):
        return pa.nulls(len(lists), _TEXT)
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    if lengths.max(initial=0) > 1:
        return pa.array([str(v) if v else None for v in lists.to_pylist()], _TEXT)
    starts = np.asarray(lists.offsets)[:-1]
    values = lists.values.take(pa.array(starts, mask=lengths == 0))
    if pa.types.is_large_binary(values.type) or pa.types.is_binary(values.type):
        # The bytes are only hashed, so that they need not be valid UTF-8.
        return pc.cast(values, pa.binary()).view(_TEXT)
    return replace_nan_with_null(values)
