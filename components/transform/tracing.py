"""Traces the preprocessing function once for all questions about its graph.

TFX asks which columns the analysis needs, which columns the transformation needs, and then for the
analyses. For each question it would trace the function anew, and get the same graph each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow_transform import impl_helper


@contextmanager
def shared_trace(directory: str) -> Iterator[None]:
    """Inside, questions about the same function and columns share one trace.

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

    impl_helper.trace_preprocessing_function = trace_once
    try:
        yield
    finally:
        impl_helper.trace_preprocessing_function = trace
