"""Where the pushed model goes."""

from __future__ import annotations

from pydantic import Field, field_validator

from pipeline.config.base import Section


class ServingConfig(Section):
    """The Pusher."""

    directory: str | None = None
    """Where versions are pushed to; left out, `serving` under the output directory."""
    keep_versions: int = Field(default=5, ge=1)
    """The newest versions that stay; older ones are removed after a push."""

    @field_validator("directory")
    @classmethod
    def _is_mounted(cls, directory: str | None) -> str | None:
        """A push needs what buckets have not: locks, and renaming a directory at once."""
        if directory and "://" in directory:
            raise ValueError(f"{directory} is no directory of a file system, which a push needs")
        return directory
