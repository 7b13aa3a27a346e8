"""The configuration survives its way through TFX's execution properties."""

from tfx.types import standard_component_specs
from tfx.utils import proto_utils

from components.columnar_example_gen.exec_properties import pack_config, unpack_config
from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import DataConfig, LabelConfig


def test_large_integers_and_umlauts_survive_packing():
    label = LabelConfig(column="größe", task="regression")
    config = IngestConfig(
        DataConfig(path=("ä.csv",), split={"seed": 2**60 + 1}), label, {"a": "int"}
    )
    packed = proto_utils.proto_to_json(pack_config(config))
    assert unpack_config({standard_component_specs.CUSTOM_CONFIG_KEY: packed}) == config
