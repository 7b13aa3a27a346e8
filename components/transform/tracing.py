"""Traces the preprocessing function once for all questions about its graph.

TFX asks which columns the analysis needs, which columns the transformation needs, and then for the
analyses. For each question it would trace the function anew, and get the same graph each time. One
more trace tells what is known of the outputs before the analysis, which nothing reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow_transform import impl_helper, schema_inference


@contextmanager
def shared_trace(directory: str) -> Iterator[None]:
    """Inside, questions about the same function and columns share one trace, if they need one.

    TFT's functions call each other through their modules, and take no trace from outside.

    Args:
      directory: for temporary files. Without one, TFT traces a graph of other names, which its
        analysis cannot use.
    """
    trace = impl_helper.trace_preprocessing_function
    shared: tuple[Any, Any] | None = None

    def trace_once(
        preprocessing_fn: Any, specs: Any, use_tf_compat_v1: bool, base_temp_dir: Any = None
    ) -> Any:
        nonlocal shared
        asked = (preprocessing_fn, list(specs.items()), use_tf_compat_v1)
        if shared is None or shared[0] != asked:
            traced = trace(preprocessing_fn, specs, use_tf_compat_v1, base_temp_dir or directory)
            shared = asked, traced
        traced = shared[1]
        if base_temp_dir:
            # The analysis asks last. It removes from the graph what the other questions need.
            shared = None
        return traced

    trace_annotations = schema_inference.get_traced_metadata_fn

    def trace_if_read(*arguments: Any, evaluate_schema_overrides: bool, **others: Any) -> Any:
        """TFT writes the schema with the overrides, which it evaluates after the analysis."""
        if not evaluate_schema_overrides:
            return dict  # A function that returns no annotations.
        return trace_annotations(*arguments, evaluate_schema_overrides=True, **others)

    impl_helper.trace_preprocessing_function = trace_once
    schema_inference.get_traced_metadata_fn = trace_if_read
    try:
        yield
    finally:
        impl_helper.trace_preprocessing_function = trace
        schema_inference.get_traced_metadata_fn = trace_annotations
