"""The artifact type of the figures that the page of a run shows."""

from tfx.types.artifact import Artifact


class RunFigures(Artifact):
    """A directory with `data_figures.json` or `model_figures.json`."""

    # Kubeflow Pipelines requires a package name in the name of a custom type.
    TYPE_NAME = "components.RunFigures"
