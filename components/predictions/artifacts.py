"""The artifact type of the Evaluator's predictions."""

from tfx.types.artifact import Artifact


class PredictionTable(Artifact):
    """A directory of Parquet files with a row for each evaluated example; see `table.py`."""

    TYPE_NAME = "components.Predictions"
