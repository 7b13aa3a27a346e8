"""Where the reference schema comes from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section


class SchemaConfig(Section):
    """The schema that new data is held against."""

    path: str | None = None
    """A curated schema under version control (a Schema proto in text format, as `schema --write` \
saves it); left out, the served model's schema is the reference."""
    reference: Literal["served", "none"] = "served"
    """`none` infers the schema anew, once, after a deliberate change of the data."""
    max_domain: int = Field(default=100, ge=1)
    """Text columns with at most so many values get a domain: others count as new categories."""
