"""The artifact type of the findings, which stay readable after the gate has stopped the run."""

from tfx.types.artifact import Artifact


class DataFindings(Artifact):
    """A directory with `findings.json` (see findings.py)."""

    # Kubeflow Pipelines requires a package name in the name of a custom type.
    TYPE_NAME = "components.DataFindings"
