"""The section `retention`: which runs stay on the disk."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section


class RetentionConfig(Section):
    """How many runs stay in the output directory."""

    keep_runs: int | None = Field(default=None, ge=1)
    """The number of newest runs that stay after each `run`, as `gc --keep` removes the others \
(default: all runs stay). Runs whose versions are in the serving directory stay as well."""
