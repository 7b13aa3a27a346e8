"""The settings of an ExampleGen of records survive their way to the executor."""

from components.record_splits.settings import RecordSettings
from pipeline.config import DataConfig, LabelConfig, SplitConfig


def test_the_settings_are_read_back_as_they_were() -> None:
    split = SplitConfig(by="key", column="customer", seed=3)
    data = DataConfig(source="tfrecord", path=("a",), split=split)
    label = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.2)
    settings = RecordSettings.of(data, label)
    assert settings == RecordSettings(split, "y", 0.2, ("no", "yes"))
    assert RecordSettings.from_json(settings.to_json()) == settings
