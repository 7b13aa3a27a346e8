"""BigQueryExampleGen with a fingerprint that distinguishes the answers to one query.

TFX returns the first answer to a query from the cache for ever, and gives it no fingerprint. Then a
candidate trained on new rows would count as the served model itself, and be compared with nothing.
"""

from __future__ import annotations

from tfx.components.example_gen import utils
from tfx.dsl.components.base import executor_spec
from tfx.extensions.google_cloud_big_query.example_gen.component import BigQueryExampleGen
from tfx.proto import example_gen_pb2

from components.custom_config_text import pack_text
from components.query_example_gen.driver import AnswerDriver
from components.query_example_gen.executor import QueryExecutor
from components.record_splits.settings import RecordSettings


class QueryExampleGen(BigQueryExampleGen):
    """Reads the rows of `query` from BigQuery.

    `answer` is the name of the answer, and becomes the fingerprint of the Examples: each new name
    sends the query again. It is empty where the platform sets the fingerprint.
    """

    DRIVER_CLASS = AnswerDriver
    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(QueryExecutor)

    def __init__(
        self,
        query: str | None,
        output_config: example_gen_pb2.Output,
        settings: RecordSettings,
        answer: str,
    ) -> None:
        super().__init__(
            query=query,
            output_config=output_config,
            custom_config=pack_text(settings.to_json()),
        )
        if answer:
            self.spec.exec_properties[utils.FINGERPRINT_PROPERTY_NAME] = answer
