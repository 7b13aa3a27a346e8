"""Runs the drivers of ExampleGens inside the task.

A driver finds the span and the fingerprint of the data. Open-source Kubeflow never runs drivers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from pipeline.core.contracts import Channel, Property
from pipeline.core.errors import DataError
from pipeline.runners.kubeflow.in_cluster.invocation import Json

FINGERPRINT = "data-fingerprint"
"""The execution property of ExampleGen that holds the fingerprint computed by `prepare`. Kubeflow's
cache compares it."""
CHECKED = "data-fingerprint-checked"
"""The execution property that says whether the files have to have this fingerprint. It is false if
the user named the data's version with `data-fingerprint`."""

_DRIVERS = {
    "components.columnar_example_gen.executor.ColumnarExecutor": (
        "components.columnar_example_gen.driver.ColumnarDriver"
    ),
    "components.record_example_gen.executor.RecordExecutor": (
        "tfx.components.example_gen.driver.FileBasedDriver"
    ),
}


@contextlib.contextmanager
def run_driver(
    executor_class: str, properties: Json, outputs: dict[str, list[Any]]
) -> Iterator[None]:
    """Runs the executor's driver on entry, and marks the output examples on exit.

    Only ExampleGens that read files have a driver. The driver adds span and fingerprint to the
    properties. On exit the examples get the fingerprint by which the run identifies its data.

    Raises:
      DataError: the files changed after `prepare` read them. Kubeflow's cache would keep the result
        under the fingerprint of the old files.
    """
    prepared, checked = properties.pop(FINGERPRINT, ""), properties.pop(CHECKED, False)
    if executor_class not in _DRIVERS:
        yield
        # Examples from a query have no fingerprint. Without the mark, all would look the same.
        if prepared:
            _mark_examples(outputs, prepared)
        return
    # Imported late: no other component needs these modules.
    from tfx.components.example_gen import driver as tfx_driver
    from tfx.components.example_gen import utils
    from tfx.utils import import_utils

    driver = import_utils.import_class_by_path(_DRIVERS[executor_class])(None)
    driver.resolve_exec_properties(properties, None, None)
    if checked and properties[utils.FINGERPRINT_PROPERTY_NAME] != prepared:
        raise DataError(
            "data.path: the files were changed after the run had begun", "start another run"
        )
    [examples] = outputs[Channel.EXAMPLES]
    tfx_driver.update_output_artifact(properties, examples.mlmd_artifact)
    yield
    # The executor has written the fingerprint of the bytes; the run's own replaces it.
    _mark_examples(outputs, prepared)


def _mark_examples(outputs: dict[str, list[Any]], fingerprint: str) -> None:
    [examples] = outputs[Channel.EXAMPLES]
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, fingerprint)
