"""The error of a run whose output lies on a store."""

from __future__ import annotations

from pipeline.core.errors import PipelineError


class NotUploadedError(PipelineError):
    """The run has ended, and not all of its files are on the store."""
