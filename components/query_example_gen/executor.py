"""Asks BigQuery, where it knows who asks."""

from __future__ import annotations

from typing import Any

from tfx.extensions.google_cloud_big_query.example_gen import executor

from components.query_example_gen.credentials import require_credentials


class QueryExecutor(executor.Executor):
    """In a cluster, the task that asks has credentials of its own: they are looked for in it."""

    def Do(self, *arguments: Any, **named: Any) -> None:
        """Writes what the query answers as examples.

        Raises:
          ConfigError: there are no credentials; Google's words for that would fill pages.
        """
        require_credentials()
        super().Do(*arguments, **named)
