"""The configuration of ExampleGen is passed on as canonical JSON."""

from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import DataConfig, LabelConfig

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.5)


def test_the_configuration_is_read_back_from_its_json():
    config = IngestConfig(
        DataConfig(path=("ä.csv",), split={"seed": 2**60}, csv={"missing": ["?"]}),
        LABEL,
        {"y": "string"},
    )
    assert IngestConfig.from_json(config.to_json()) == config


def test_the_order_of_the_types_does_not_change_the_json():
    data = DataConfig(path=("t.csv",))
    one = IngestConfig(data, LABEL, {"b": "int", "a": "int"})
    other = IngestConfig(data, LABEL, {"a": "int", "b": "int"})
    assert one.to_json() == other.to_json()
