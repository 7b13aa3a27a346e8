"""The artifact type of the ModelExporter's output."""

from tfx.types.artifact import Artifact


class ModelExports(Artifact):
    """A directory with `exports.json` and, if an export passed, `pushed/`; see `results.py`."""

    # Kubeflow Pipelines requires a package name in the name of a custom type.
    TYPE_NAME = "components.ModelExports"
