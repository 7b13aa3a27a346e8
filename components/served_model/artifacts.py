"""The artifact type that carries a ServedRecord between components."""

from tfx.types.artifact import Artifact


class ServedModelRecord(Artifact):
    """A directory with the record of what is served (`served.json`), empty on a first run."""

    TYPE_NAME = "components.ServedModelRecord"
