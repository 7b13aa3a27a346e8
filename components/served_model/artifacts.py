"""The artifact type that carries a ServedRecord between components."""

from tfx.types.artifact import Artifact


class ServedModelRecord(Artifact):
    """A directory with the record of the served model (`served.json`), `{}` on a first run."""

    TYPE_NAME = "components.ServedModelRecord"
