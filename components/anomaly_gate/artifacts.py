"""The artifact type that carries the findings, so that they outlive the stop."""

from tfx.types.artifact import Artifact


class DataFindings(Artifact):
    """A directory with `findings.json` (see findings.py)."""

    # With a package in front: Kubeflow Pipelines accepts no other names for types of one's own.
    TYPE_NAME = "components.DataFindings"
