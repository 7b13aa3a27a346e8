"""The section `data.limits`: bounds that stop a file that would cost too much time or memory."""

from __future__ import annotations

from pydantic import Field

from pipeline.config.base import Section

LONGEST_ROW = 64 << 20
"""Bytes of the longest row that can be allowed: Arrow holds several blocks of this size."""


class LimitsConfig(Section):
    """What a file may cost; no honest table comes near the defaults."""

    columns: int = Field(default=100_000, ge=1)
    """The most columns of a table."""
    row_bytes: int | None = Field(default=None, ge=1024, le=LONGEST_ROW)
    """The bytes of the longest row of a CSV file (default: 4 MiB, and up to 16 MiB in tables with \
hundreds of columns)."""
    batch_bytes: int = Field(default=1 << 30, ge=1 << 20)
    """The most bytes of a batch of rows of a Parquet file, decoded; batches of larger rows have \
fewer rows."""
    unpacked_ratio: int = Field(default=5_000, ge=1)
    """How many times its size a file may have when it is unpacked; checked from 1 GiB on. Sparse \
tables reach 2,000, files that are made to exhaust a machine 7,000 and more. gzip cannot exceed \
1,032."""


DEFAULT_LIMITS = LimitsConfig()
