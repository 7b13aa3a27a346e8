"""The section `schema`: where the reference schema comes from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.config.base import Section


class SchemaConfig(Section):
    """The reference schema that new data is validated against."""

    path: str | None = None
    """A curated schema under version control, a Schema proto in text format as `schema --write` \
saves it (default: the schema of the served model)."""
    reference: Literal["served", "none"] = "served"
    """`served`: validate against the served model's schema; `none`: infer a new schema, for one \
run after a deliberate change of the data."""
    max_domain: int = Field(default=100, ge=1)
    """The most distinct values of a text column that gets a domain; values outside a domain count \
as new categories."""
