"""The validated configuration. Imports nothing heavy: the command line answers at once."""

from pipeline.config.base import Section
from pipeline.config.data import ColumnType, CsvConfig, DataConfig, SplitConfig
from pipeline.config.evaluation import EvaluationConfig, Threshold
from pipeline.config.features import Feature, Features
from pipeline.config.kubernetes import WorkersConfig
from pipeline.config.label import LabelConfig, Task
from pipeline.config.load import load_config
from pipeline.config.metrics import METRICS, Metric
from pipeline.config.model import ModelConfig
from pipeline.config.root import Config
from pipeline.config.schema import SchemaConfig
from pipeline.config.serving import ServingConfig
from pipeline.config.training import TrainingConfig
from pipeline.config.tuning import TuningConfig
from pipeline.config.validation import Severity, SeverityConfig, ValidationConfig

__all__ = [
    "METRICS",
    "ColumnType",
    "Config",
    "CsvConfig",
    "DataConfig",
    "EvaluationConfig",
    "Feature",
    "Features",
    "LabelConfig",
    "Metric",
    "ModelConfig",
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
