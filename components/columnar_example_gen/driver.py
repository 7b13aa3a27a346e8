"""Decides, before anything is read, which span is meant and whether its content is known."""

from __future__ import annotations

from typing import Any

from tfx.components.example_gen import driver as tfx_driver
from tfx.components.example_gen import utils

from components.columnar_example_gen.exec_properties import unpack_config
from components.tables.fingerprint import compute_fingerprint, resolve_paths


class ColumnarDriver(tfx_driver.Driver):
    """Puts the span and a fingerprint of the content where TFX's cache looks for them.

    Equal content is taken from the cache whatever its modification time, changed content never.
    TFX's stock driver would also want input_base and a pattern for each split; here the files are
    named by `data.path` alone.
    """

    def resolve_exec_properties(
        self, exec_properties: dict[str, Any], pipeline_info: Any, component_info: Any
    ) -> dict[str, Any]:
        """Adds span and fingerprint; TFX copies both to the artifact.

        Raises:
          ConfigError: data.path names no file, or one that cannot be read.
        """
        del pipeline_info, component_info
        paths, span = resolve_paths(unpack_config(exec_properties).data)
        exec_properties[utils.SPAN_PROPERTY_NAME] = span
        exec_properties[utils.VERSION_PROPERTY_NAME] = None
        exec_properties[utils.FINGERPRINT_PROPERTY_NAME] = compute_fingerprint(paths)
        return exec_properties
