"""Driver of QueryExampleGen: keeps the fingerprint, which TFX's driver would remove."""

from __future__ import annotations

from typing import Any

from tfx.components.example_gen import driver, utils


class AnswerDriver(driver.QueryBasedDriver):
    """Keeps the name of the answer as fingerprint; TFX copies the fingerprint to the artifact."""

    def resolve_exec_properties(
        self, exec_properties: dict[str, Any], pipeline_info: Any, component_info: Any
    ) -> dict[str, Any]:
        answer = exec_properties[utils.FINGERPRINT_PROPERTY_NAME]
        resolved = super().resolve_exec_properties(exec_properties, pipeline_info, component_info)
        return {**resolved, utils.FINGERPRINT_PROPERTY_NAME: answer}
