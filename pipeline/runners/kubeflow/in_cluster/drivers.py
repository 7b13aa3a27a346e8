"""The drivers of ExampleGens, which Kubeflow never runs: what they are called for is done here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from components.served_model.keys import FINGERPRINT_PROPERTY
from pipeline.core.errors import DataError
from pipeline.runners.kubeflow.in_cluster.invocation import Json

FINGERPRINT = "data-fingerprint"
"""What `prepare` took for the identity of the data: in ExampleGen's properties, for the cache."""
CHECKED = "data-fingerprint-checked"
"""Whether the bytes that are read have to have this fingerprint; not if somebody else named it."""

_DRIVERS = {
    "components.columnar_example_gen.executor.ColumnarExecutor": (
        "components.columnar_example_gen.driver.ColumnarDriver"
    ),
    "tfx.components.example_gen.import_example_gen.executor.Executor": (
        "tfx.components.example_gen.driver.FileBasedDriver"
    ),
}


@contextlib.contextmanager
def run_driver(
    executor_class: str, properties: Json, outputs: dict[str, list[Any]]
) -> Iterator[None]:
    """For the time in which an executor is at work; only ExampleGens of files have a driver.

    Completes the properties with span and fingerprint, and the examples with the fingerprint by
    which the run knows its data.

    Raises:
      DataError: the files are no longer those that `prepare` saw, for which the cache would later
        take them.
    """
    prepared, checked = properties.pop(FINGERPRINT, ""), properties.pop(CHECKED, False)
    if executor_class not in _DRIVERS:
        yield
        # The answer of a query: without a mark of its own, every later one would be taken for it.
        if prepared:
            _mark(outputs, prepared)
        return
    # Only here: of all components, these alone need TFX's.
    from tfx.components.example_gen import driver as tfx_driver
    from tfx.components.example_gen import utils
    from tfx.utils import import_utils

    driver = import_utils.import_class_by_path(_DRIVERS[executor_class])(None)
    driver.resolve_exec_properties(properties, None, None)
    if checked and properties[utils.FINGERPRINT_PROPERTY_NAME] != prepared:
        raise DataError(
            "data.path: the files were changed after the run had begun", "start another run"
        )
    [examples] = outputs["examples"]
    tfx_driver.update_output_artifact(properties, examples.mlmd_artifact)
    yield
    # The executor has noted that of the bytes.
    _mark(outputs, prepared)


def _mark(outputs: dict[str, list[Any]], fingerprint: str) -> None:
    [examples] = outputs["examples"]
    examples.set_string_custom_property(FINGERPRINT_PROPERTY, fingerprint)
