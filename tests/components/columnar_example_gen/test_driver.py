"""The driver adds span and fingerprint to the execution properties."""

import pytest
from tfx.components.example_gen import utils
from tfx.types import standard_component_specs
from tfx.utils import proto_utils

from components.columnar_example_gen.driver import ColumnarDriver
from components.columnar_example_gen.exec_properties import pack_config
from components.columnar_example_gen.ingest_config import IngestConfig
from components.tables.fingerprint import compute_fingerprint
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import ConfigError

LABEL = LabelConfig(column="y", task="regression")


def resolve(pattern: str) -> dict[str, object]:
    config = IngestConfig(DataConfig(path=(pattern,)), LABEL, {})
    packed = proto_utils.proto_to_json(pack_config(config))
    properties = {standard_component_specs.CUSTOM_CONFIG_KEY: packed}
    return ColumnarDriver(None).resolve_exec_properties(properties, None, None)


def test_the_newest_span_and_the_fingerprint_of_its_file_are_added(tmp_path, write):
    write("s1.csv", "x,y\n1,2\n")
    newest = write("s2.csv", "x,y\n3,4\n")
    properties = resolve(str(tmp_path / "s{SPAN}.csv"))
    assert properties[utils.SPAN_PROPERTY_NAME] == 2
    assert properties[utils.FINGERPRINT_PROPERTY_NAME] == compute_fingerprint([newest])


def test_a_pattern_without_files_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no file matches"):
        resolve(str(tmp_path / "*.csv"))
