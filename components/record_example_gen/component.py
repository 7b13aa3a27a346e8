"""RecordExampleGen: reads TFRecord files of tf.Examples."""

from __future__ import annotations

from tfx.components.example_gen import component
from tfx.dsl.components.base import executor_spec
from tfx.proto import example_gen_pb2

from components.custom_config_text import pack_text
from components.record_example_gen.executor import RecordExecutor
from components.record_splits.settings import RecordSettings


class RecordExampleGen(component.FileBasedExampleGen):
    """ImportExampleGen whose splits mean what they mean for every other source.

    `directory` and `pattern` name the files, in TFX's form. `output_config` names the splits.
    """

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(RecordExecutor)

    def __init__(
        self,
        directory: str,
        split: example_gen_pb2.Input.Split,
        output_config: example_gen_pb2.Output,
        settings: RecordSettings,
    ) -> None:
        super().__init__(
            input_base=directory,
            input_config=example_gen_pb2.Input(splits=[split]),
            output_config=output_config,
            custom_config=pack_text(settings.to_json()),
        )
