"""The section `report`: what the page of a run shows."""

from __future__ import annotations

from pipeline.config.base import Section


class ReportConfig(Section):
    """What the page of a run shows."""

    rows: bool = True
    """Whether the page shows the cells of the rows with the greatest loss; set `false` for \
private data."""
