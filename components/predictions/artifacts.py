"""The artifact type of the Evaluator's predictions."""

from tfx.types.artifact import Artifact


class PredictionTable(Artifact):
    """A directory of Parquet files with a row for each evaluated example; see `table.py`."""

    # Kubeflow Pipelines requires a package name in the name of a custom type.
    TYPE_NAME = "components.PredictionTable"
