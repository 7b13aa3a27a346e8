"""Statistics of Parquet examples equal TFDV's statistics of the same rows as tf.Examples."""

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
import tensorflow_data_validation as tfdv
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx_bsl.tfxio import parquet_tfxio, tf_example_record

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.statistics_gen.statistics import compute_statistics
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.contracts import Split

pytestmark = pytest.mark.slow

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"))
WORD = st.sampled_from(["", "red", "green", "größe", "0"]) | st.text("abc ", min_size=1, max_size=9)
FLOAT = st.sampled_from(["", "0.0", "0.5", "-2.25"]) | st.floats(-1e6, 1e6, width=32).map(str)
INT = st.sampled_from(["", "0", "1"]) | st.integers(-(2**40), 2**40).map(str)
ROWS = st.lists(
    st.tuples(WORD, FLOAT, INT, st.sampled_from(["no", "yes"])), min_size=20, max_size=200
)
SURE = [(f"word {i % 7}", f"{i}.5", str(i), "no" if i % 2 else "yes") for i in range(60)]


# Few examples, because each takes two passes of TFDV.
@settings(max_examples=4)
@given(rows=ROWS)
def test_statistics_equal_those_of_tf_examples(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("table")
    csv = folder / "t.csv"
    lines = ["word,float,int,y", *(",".join(row) for row in [*rows, *SURE])]
    csv.write_text("\n".join(lines) + "\n", encoding="utf-8")
    directories = {name: folder / name for name in Split.ALL}
    types = {"word": "string", "float": "float", "int": "int", "y": "string"}
    ingest([csv], IngestConfig(DataConfig(path=(str(csv),)), LABEL, types), directories)

    examples = folder / "examples.tfrecord"
    write_examples(examples, directories["train"])
    found = statistics(folder / "found", parquet_tfxio.ParquetTFXIO(f"{directories['train']}/*"))
    expected = statistics(folder / "expected", tf_example_record.TFExampleRecord(str(examples)))
    parts = sorted(map(str, directories["train"].iterdir()))
    direct = by_column(compute_statistics(parts, tfdv.StatsOptions()))
    assert set(found) == set(direct) == set(expected) == set(types)
    for name in types:
        assert_close(found[name], expected[name], name)
        assert_close(direct[name], expected[name], name)


def write_examples(path: Path, directory: Path) -> None:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for row in pq.read_table(directory).to_pylist():
            example = tf.train.Example()
            for name, cells in row.items():
                lists = example.features.feature[name]
                for cell in cells or []:
                    kind = {bytes: lists.bytes_list, int: lists.int64_list, float: lists.float_list}
                    kind[type(cell)].value.append(cell)
            writer.write(example.SerializeToString())


def statistics(path: Path, tfxio: Any) -> dict[str, Any]:
    options = beam.options.pipeline_options.PipelineOptions(
        ["--runner=DirectRunner", "--direct_running_mode=in_memory"]
    )
    with beam.Pipeline(options=options) as pipeline:
        _ = (
            pipeline
            | tfxio.BeamSource()
            | tfdv.GenerateStatistics(tfdv.StatsOptions())
            | tfdv.WriteStatisticsToBinaryFile(str(path))
        )
    return by_column(statistics_pb2.DatasetFeatureStatisticsList.FromString(path.read_bytes()))


def by_column(read: statistics_pb2.DatasetFeatureStatisticsList) -> dict[str, Any]:
    return {
        feature.path.step[0]: json_format.MessageToDict(feature)
        for feature in read.datasets[0].features
    }


def assert_close(found: Any, expected: Any, place: str) -> None:
    """Asserts equality up to the order of equally frequent values and the last digits of floats."""
    assert type(found) is type(expected), place
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key in expected:
            assert_close(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for a, b in zip(sorted(found, key=_order), sorted(expected, key=_order)):
            assert_close(a, b, f"{place}[]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9), place
    else:
        assert found == expected, place


def _order(entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    return f"{entry.get('label', entry.get('value', ''))}/{entry.get('lowValue', 0):+.9e}"
