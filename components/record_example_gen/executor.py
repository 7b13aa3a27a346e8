"""Executor of RecordExampleGen: reads TFRecord files, and splits the records."""

from __future__ import annotations

from tfx.components.example_gen.import_example_gen import executor

from components.record_splits.executor import SplittingExecutor


class RecordExecutor(SplittingExecutor, executor.Executor):
    """Reads as TFX's ImportExampleGen does, and splits as ColumnarExampleGen does."""
