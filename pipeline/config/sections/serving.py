"""The section `serving`: where the Pusher writes versions of the model."""

from __future__ import annotations

from pydantic import Field, field_validator

from pipeline.config.base import Section
from pipeline.config.sections.server import ServerConfig


class ServingConfig(Section):
    """Where versions are pushed to, and how many stay."""

    directory: str | None = None
    """The directory that versions are pushed to (default: `serving` in the output directory)."""
    keep_versions: int = Field(default=5, ge=1)
    """The number of newest versions that stay; a push removes older ones."""
    server: ServerConfig = ServerConfig()
    """The model server that `serve` starts."""

    @field_validator("directory")
    @classmethod
    def _refuse_bucket(cls, directory: str | None) -> str | None:
        """Raises for a bucket: a push needs locks and the atomic rename of a directory."""
        if directory and "://" in directory:
            raise ValueError(f"{directory} is not a directory of a file system, which a push needs")
        return directory
