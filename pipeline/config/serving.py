"""Where the pushed model goes."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section


class ServingConfig(Section):
    """The Pusher."""

    directory: str | None = None
    """Where versions are pushed to; left out, `serving` under the output directory."""
    keep_versions: int = Field(default=5, ge=1)
    """The newest versions that stay; older ones are removed after a push."""
