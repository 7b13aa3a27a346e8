"""The artifact type of batch predictions."""

from tfx.types.artifact import Artifact


class BatchPredictions(Artifact):
    """A directory with the manifest of a prediction; the predictions lie where it says."""

    TYPE_NAME = "components.BatchPredictions"
