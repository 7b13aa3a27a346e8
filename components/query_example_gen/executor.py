"""Executor of QueryExampleGen: checks the credentials, then sends the query."""

from __future__ import annotations

from typing import Any

from tfx.extensions.google_cloud_big_query.example_gen import executor

from components.query_example_gen.credentials import require_credentials
from components.record_splits.executor import SplittingExecutor


class QueryExecutor(SplittingExecutor, executor.Executor):
    """Checks the credentials here, because in a cluster each task has credentials of its own."""

    def Do(self, *arguments: Any, **named: Any) -> None:
        """Writes the answer to the query as examples.

        Raises:
          ConfigError: there are no credentials; or see SplittingExecutor.
          DataError: see SplittingExecutor.
        """
        require_credentials()
        super().Do(*arguments, **named)
