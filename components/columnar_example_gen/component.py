"""ColumnarExampleGen: reads CSV and Parquet files and writes Parquet examples, all in columns."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from tfx.components.example_gen import component
from tfx.dsl.components.base import executor_spec
from tfx.proto import example_gen_pb2

from components.columnar_example_gen.driver import ColumnarDriver
from components.columnar_example_gen.exec_properties import pack_config
from components.columnar_example_gen.executor import ColumnarExecutor
from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import ColumnType, DataConfig, LabelConfig, SplitConfig
from pipeline.core.contracts import Split


class ColumnarExampleGen(component.FileBasedExampleGen):
    """Reads `data.path`, leaves out rows without a label, and writes train, eval and test.

    The component is a FileBasedExampleGen because TFX's Kubeflow compiler builds a driver for such
    components only. Driver and executor read nothing but `custom_config`. `input_base` and the
    output splits are set only for people who read the metadata.

    The executor sets these custom properties of the artifact: `payload_format`, `file_format`,
    `span`, `input_fingerprint`, `rows` (JSON, rows of each split), `rows_without_label`,
    and `split`.
    """

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(ColumnarExecutor)
    DRIVER_CLASS = ColumnarDriver

    def __init__(
        self,
        data: DataConfig,
        label: LabelConfig,
        column_types: Mapping[str, ColumnType],
        reference_split: str = "",
    ) -> None:
        """Creates the component.

        Args:
          column_types: the result of `Config.column_types()`; types of other columns are inferred.
          reference_split: the SplitRecord of the served model as JSON; empty if none is served.

        Raises:
          ValueError: `data.source` is neither csv nor parquet.
        """
        if data.source not in ("csv", "parquet"):
            raise ValueError(f"ColumnarExampleGen reads csv and parquet, not {data.source}")
        super().__init__(
            input_base=_folder(data.path[0]),
            output_config=build_output_config(data.split),
            custom_config=pack_config(IngestConfig(data, label, column_types, reference_split)),
            output_data_format=example_gen_pb2.FORMAT_PARQUET,
            output_file_format=example_gen_pb2.FILE_FORMAT_PARQUET,
        )


def _folder(pattern: str) -> str:
    """Returns the folder before the first wildcard; a relative path stays relative.

    The component may run on another machine, where the absolute path would be wrong.
    """
    return os.path.dirname(re.split(r"[{*?\[]", pattern)[0]) or "."


def build_output_config(split: SplitConfig) -> example_gen_pb2.Output:
    """Returns the shares of the splits in TFX's form: hash buckets, in thousandths."""
    shares = {Split.TRAIN: split.train, Split.EVAL: split.eval, Split.TEST: split.test}
    splits = [
        example_gen_pb2.SplitConfig.Split(name=name, hash_buckets=max(1, round(share * 1000)))
        for name, share in shares.items()
    ]
    return example_gen_pb2.Output(split_config=example_gen_pb2.SplitConfig(splits=splits))
