"""BigQueryExampleGen, whose answers are told from each other.

TFX takes the answer of an equal query from the cache for ever, and gives it no fingerprint: a
candidate of new rows would be taken for the served model itself, and compared with nothing.
"""

from __future__ import annotations

from tfx.components.example_gen import utils
from tfx.dsl.components.base import executor_spec
from tfx.extensions.google_cloud_big_query.example_gen.component import BigQueryExampleGen
from tfx.proto import example_gen_pb2

from components.query_example_gen.driver import AnswerDriver
from components.query_example_gen.executor import QueryExecutor


class QueryExampleGen(BigQueryExampleGen):
    """Asks BigQuery for the rows of `query`.

    `answer` is a name for what it answers, which becomes the fingerprint of the Examples: the
    query is asked again under each new name. Left empty where the platform gives one.
    """

    DRIVER_CLASS = AnswerDriver
    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(QueryExecutor)

    def __init__(
        self, query: str | None, build_output_config: example_gen_pb2.Output, answer: str
    ) -> None:
        super().__init__(query=query, output_config=build_output_config)
        if answer:
            self.spec.exec_properties[utils.FINGERPRINT_PROPERTY_NAME] = answer
