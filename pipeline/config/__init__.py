"""The validated configuration; everything but pipeline.core may import it.

This package imports no TensorFlow and no TFX, so that the command line answers at once.
"""

from pipeline.config.base import Section
from pipeline.config.exports.section import ExportConfig
from pipeline.config.kubernetes.pods import WorkersConfig
from pipeline.config.load import load_config
from pipeline.config.root import Config
from pipeline.config.sections.data import ColumnType, CsvConfig, DataConfig, SplitConfig
from pipeline.config.sections.evaluation import EvaluationConfig, GapLimit, Threshold
from pipeline.config.sections.features import Feature, Features
from pipeline.config.sections.label import LabelConfig, Task
from pipeline.config.sections.metrics import METRICS, Metric
from pipeline.config.sections.model import ModelConfig
from pipeline.config.sections.report import ReportConfig
from pipeline.config.sections.schema import SchemaConfig
from pipeline.config.sections.serving import CheckConfig, ServingConfig
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import TuningConfig
from pipeline.config.sections.validation import (
    ColumnValidation,
    Severity,
    SeverityConfig,
    ValidationConfig,
)

__all__ = [
    "METRICS",
    "CheckConfig",
    "ColumnType",
    "ColumnValidation",
    "Config",
    "CsvConfig",
    "DataConfig",
    "EvaluationConfig",
    "ExportConfig",
    "Feature",
    "Features",
    "GapLimit",
    "LabelConfig",
    "Metric",
    "ModelConfig",
    "ReportConfig",
    "SchemaConfig",
    "Section",
    "ServingConfig",
    "Severity",
    "SeverityConfig",
    "SplitConfig",
    "Task",
    "Threshold",
    "TrainingConfig",
    "TuningConfig",
    "ValidationConfig",
    "WorkersConfig",
    "load_config",
]
