"""The driver keeps the fingerprint that the component sets."""

from tfx.components.example_gen import utils

from components.columnar_example_gen.component import build_output_config
from components.query_example_gen.component import QueryExampleGen
from components.query_example_gen.driver import AnswerDriver
from components.record_splits.settings import RecordSettings
from pipeline.config import SplitConfig

SETTINGS = RecordSettings(SplitConfig(), "y", 0.05)


def test_the_name_of_the_answer_stays_the_fingerprint() -> None:
    component = QueryExampleGen("SELECT 1", build_output_config(SplitConfig()), SETTINGS, "run-1")
    properties = dict(component.exec_properties)
    resolved = AnswerDriver(None).resolve_exec_properties(properties, None, None)
    assert resolved[utils.FINGERPRINT_PROPERTY_NAME] == "run-1"
