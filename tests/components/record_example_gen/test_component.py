"""RecordExampleGen carries its settings to the executor."""

from tfx.proto import example_gen_pb2

from components.columnar_example_gen.component import build_output_config
from components.custom_config_text import unpack_text
from components.record_example_gen.component import RecordExampleGen
from components.record_splits.settings import RecordSettings
from pipeline.config import SplitConfig


def test_the_settings_are_an_execution_property_and_so_in_the_cache_key() -> None:
    settings = RecordSettings(SplitConfig(seed=5), "y", 0.1)
    split = example_gen_pb2.Input.Split(name="all", pattern="*.tfrecord")
    component = RecordExampleGen("/data", split, build_output_config(settings.split), settings)
    assert RecordSettings.from_json(unpack_text(component.exec_properties)) == settings
    assert component.exec_properties["input_base"] == "/data"
