"""The part of the configuration that the exports and their verdicts depend on."""

from __future__ import annotations

from pipeline.config import EvaluationConfig, ExportConfig, LabelConfig, Section


class ExporterSettings(Section):
    """The configuration of the ModelExporter. Other settings are left out: the output stays cached.

    The sections that training further reads come as `custom_config`.
    """

    exports: tuple[ExportConfig, ...]
    label: LabelConfig
    evaluation: EvaluationConfig
