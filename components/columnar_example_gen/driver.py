"""Driver of ColumnarExampleGen: resolves the span and fingerprints the files before the cache."""

from __future__ import annotations

from typing import Any

from tfx.components.example_gen import driver as tfx_driver
from tfx.components.example_gen import utils

from components.columnar_example_gen.exec_properties import unpack_config
from components.tables.fingerprint import compute_fingerprint, resolve_paths


class ColumnarDriver(tfx_driver.Driver):
    """Adds the span and a fingerprint of the content to the key of TFX's cache.

    So equal content is taken from the cache even if its modification time has changed, and changed
    content never is. TFX's own driver requires `input_base` and a pattern for each split, whereas
    `data.path` alone names the files here.
    """

    def resolve_exec_properties(
        self, exec_properties: dict[str, Any], pipeline_info: Any, component_info: Any
    ) -> dict[str, Any]:
        """Returns the properties with span and fingerprint; TFX copies both to the artifact.

        Raises:
          ConfigError: data.path matches no file, or a file that cannot be read.
        """
        del pipeline_info, component_info
        paths, span = resolve_paths(unpack_config(exec_properties).data)
        exec_properties[utils.SPAN_PROPERTY_NAME] = span
        exec_properties[utils.VERSION_PROPERTY_NAME] = None
        exec_properties[utils.FINGERPRINT_PROPERTY_NAME] = compute_fingerprint(paths)
        return exec_properties
