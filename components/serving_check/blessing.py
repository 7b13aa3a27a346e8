"""Writes the outcome of a serving check into an InfraBlessing, and reads it back.

Reading imports nothing heavy: the command line does it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.events import Measurement, ServingCheckResult, to_json
from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json

# TFX's InfraValidator sets the same property and writes the same files, and tools that read its
# blessings know them.
_BLESSED_FILE = "INFRA_BLESSED"
_NOT_BLESSED_FILE = "INFRA_NOT_BLESSED"
_UNCHECKED = "not checked: the model is not blessed"
_IN_NOTE = ("load", "p99 of 1 row", "p99 of 64 rows", "peak memory")


def write_blessing(blessing: Any, result: ServingCheckResult | None) -> None:
    """Writes the result, or that there was no check because the Evaluator did not bless the model.

    Args:
      blessing: the InfraBlessing artifact.
    """
    passed = result is not None and result.passed
    _write(blessing.uri, _BLESSED_FILE if passed else _NOT_BLESSED_FILE, "")
    if result is not None:
        _write(blessing.uri, ArtifactFile.SERVING_CHECK, readable_json(to_json(result)))
    blessing.set_int_custom_property(Property.BLESSED, int(passed))
    blessing.set_string_custom_property(Property.NOTE, _describe(result) if result else _UNCHECKED)


def _write(directory: str, name: str, text: str) -> None:
    write_text_atomically(os.path.join(directory, name), text, durable=False)


def read_result(uri: str) -> ServingCheckResult | None:
    """Returns the result in an InfraBlessing, or None if the model was not checked.

    Raises:
      ValueError: the file holds other content.
    """
    try:
        with open(os.path.join(uri, ArtifactFile.SERVING_CHECK), encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return None
    try:
        return ServingCheckResult.from_json(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not the result of a serving check: {error!r}") from None


def _describe(result: ServingCheckResult) -> str:
    """Returns the sentence for the terminal."""
    if not result.passed:
        return f"failed: {result.problems[0]}"
    return ", ".join(
        f"{each.name} {describe_value(each)}"
        for each in result.measurements
        if each.name in _IN_NOTE
    )


def describe_value(measurement: Measurement) -> str:
    """Returns the value with its unit, such as `0.48 ms`."""
    return _format(measurement.value, measurement.unit)


def describe_limit(measurement: Measurement) -> str:
    """Returns the limit with its unit, empty without a limit."""
    return "" if measurement.limit is None else _format(measurement.limit, measurement.unit)


def _format(value: float, unit: str) -> str:
    digits = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{digits} {unit}".strip()
