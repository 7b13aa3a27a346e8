"""A page without figures of its own shows those of the served model's run."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.report.content import ServedVersion
from pipeline.runners.reporting.parts.served_model import describe_served_model
from pipeline.runners.reporting.reading.metadata_view import NodeView


def test_only_the_run_that_made_the_version_is_asked_for_figures() -> None:
    asked: list[str] = []

    def read_nodes(run: str) -> Mapping[str, NodeView]:
        asked.append(run)
        return {}

    unknown = ServedVersion("17", "", None, False, None, None)
    assert describe_served_model(None, read_nodes) is None
    assert describe_served_model(unknown, read_nodes) is None
    assert (
        describe_served_model(ServedVersion("17", "", "made it", False, None, None), read_nodes)
        is None
    )
    assert asked == ["made it"]
