"""ColumnarExampleGen in TFX's own runner: its artifact, its cache and its statistics."""

import gc
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorflow as tf
import tensorflow_data_validation as tfdv
from ml_metadata import MetadataStore
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx.components.example_gen.component import FileBasedExampleGen
from tfx.components.statistics_gen.component import StatisticsGen
from tfx.orchestration import metadata, pipeline
from tfx.orchestration.local.local_dag_runner import LocalDagRunner

from components.columnar_example_gen.component import ColumnarExampleGen
from components.columnar_example_gen.exec_properties import unpack_config
from components.columnar_example_gen.ingest_config import IngestConfig
from components.tables.fingerprint import compute_fingerprint
from pipeline.config import DataConfig, LabelConfig
from pipeline.config.sections.beam import RUNNER
from pipeline.core.errors import DataError

pytestmark = pytest.mark.slow

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.1)
TYPES = {"y": "string", "fare (€)": "float"}
SPLITS = ("train", "eval", "test")


def rows() -> list[dict[str, object]]:
    """Returns 400 rows with zeros, missing cells and every type; the last 8 have no label."""
    return [
        {
            "fare (€)": None if i % 7 == 0 else float(i % 5),
            "area.code": None if i % 11 == 0 else i % 3,
            "pay/type": None if i % 13 == 0 else ["Cash", "Card", "0"][i % 3],
            "id": i,
            "y": None if i >= 392 else ["no", "yes"][i % 2],
        }
        for i in range(400)
    ]


def to_csv(table: list[dict[str, object]]) -> str:
    lines = [",".join("" if v is None else str(v) for v in row.values()) for row in table]
    return "\n".join([",".join(table[0]), *lines]) + "\n"


class Runs:
    """Runs of ExampleGen and StatisticsGen that share their metadata."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.csv = root / "span-0007.csv"
        self._connection = metadata.sqlite_metadata_connection_config(str(root / "metadata.db"))

    def run(self, **changes: object) -> dict[str, str]:
        """Runs both components and returns the state of each execution."""
        example_gen = self.component(**changes)
        statistics_gen = StatisticsGen(examples=example_gen.outputs["examples"])
        LocalDagRunner().run(
            pipeline.Pipeline(
                pipeline_name="tiny",
                pipeline_root=str(self.root / "artifacts"),
                components=[example_gen, statistics_gen],
                enable_cache=True,
                metadata_connection_config=self._connection,
                beam_pipeline_args=[RUNNER],
            )
        )
        types = {kind.id: kind.name.split(".")[-1] for kind in self.store.get_execution_types()}
        newest = sorted(self.store.get_executions(), key=lambda e: e.id)[-2:]
        return {types[e.type_id]: mlmd.Execution.State.Name(e.last_known_state) for e in newest}

    def component(self, label: LabelConfig = LABEL, seed: int = 0) -> ColumnarExampleGen:
        data = DataConfig(path=(str(self.root / "span-{SPAN:4}.csv"),), split={"seed": seed})
        return ColumnarExampleGen(data=data, label=label, column_types=TYPES)

    @property
    def store(self) -> MetadataStore:
        return MetadataStore(self._connection)

    def artifact(self, type_name: str = "Examples") -> mlmd.Artifact:
        return max(self.store.get_artifacts_by_type(type_name), key=lambda a: a.id)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    shared = Runs(tmp_path_factory.mktemp("runs"))
    shared.csv.write_text(to_csv(rows()), encoding="utf-8")
    (shared.root / "span-0006.csv").write_text("old\n", encoding="utf-8")
    assert set(shared.run().values()) == {"COMPLETE"}
    yield shared
    gc.collect()


def test_the_component_is_a_file_based_example_gen_with_its_configuration(runs):
    component = runs.component()
    data = DataConfig(path=(str(runs.root / "span-{SPAN:4}.csv"),), split={"seed": 0})
    assert isinstance(component, FileBasedExampleGen)
    assert unpack_config(component.exec_properties) == IngestConfig(data, LABEL, TYPES)
    assert component.exec_properties["input_base"] == str(runs.root)


def test_other_sources_are_refused():
    with pytest.raises(ValueError, match="not tfrecord"):
        ColumnarExampleGen(DataConfig(source="tfrecord", path=("a",)), LABEL, {})


def test_the_artifact_has_its_properties_and_splits(runs):
    artifact = runs.artifact()
    properties = {k: v.string_value or v.int_value for k, v in artifact.custom_properties.items()}
    found = json.loads(properties["rows"])
    assert json.loads(artifact.properties["split_names"].string_value) == list(SPLITS)
    assert properties["payload_format"] == "FORMAT_PARQUET"
    assert properties["file_format"] == "FILE_FORMAT_PARQUET"
    assert properties["span"] == 7
    assert properties["input_fingerprint"] == compute_fingerprint([runs.csv])
    assert sum(found.values()) == 392
    assert properties["rows_without_label"] == 8
    assert properties["note"] == "8 rows without a label left out"
    assert [p.name for p in sorted(Path(artifact.uri).iterdir())] == [
        "Split-eval",
        "Split-test",
        "Split-train",
    ]


def test_statistics_equal_those_of_tf_examples(runs, tmp_path):
    labelled = [row for row in rows() if row["y"] is not None]
    expected = statistics_of_examples(labelled, tmp_path / "all.tfrecord")
    found = [compute_statistics(runs, split) for split in SPLITS]
    assert sum(s.num_examples for s in found) == expected.num_examples == len(labelled)
    assert json.loads(runs.artifact().custom_properties["rows"].string_value) == {
        split: s.num_examples for split, s in zip(SPLITS, found, strict=True)
    }
    for name in labelled[0]:
        columns = [feature(s, name) for s in found]
        assert {column.type for column in columns} == {feature(expected, name).type}
        assert sum(map(counts, columns), Counter()) == counts(feature(expected, name))


def compute_statistics(runs: Runs, split: str) -> statistics_pb2.DatasetFeatureStatistics:
    uri = runs.artifact("ExampleStatistics").uri
    content = (Path(uri) / f"Split-{split}" / "FeatureStats.pb").read_bytes()
    return statistics_pb2.DatasetFeatureStatisticsList.FromString(content).datasets[0]


def statistics_of_examples(
    table: list[dict[str, object]], path: Path
) -> statistics_pb2.DatasetFeatureStatistics:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for row in table:
            writer.write(to_example(row).SerializeToString())
    return tfdv.generate_statistics_from_tfrecord(str(path)).datasets[0]


def to_example(row: dict[str, object]) -> tf.train.Example:
    example = tf.train.Example()
    for name, value in row.items():
        lists = example.features.feature[name]
        if isinstance(value, float):
            lists.float_list.value.append(value)
        elif isinstance(value, int):
            lists.int64_list.value.append(value)
        elif value is not None:
            lists.bytes_list.value.append(str(value).encode())
    return example


def feature(
    statistics: statistics_pb2.DatasetFeatureStatistics, name: str
) -> statistics_pb2.FeatureNameStatistics:
    return next(f for f in statistics.features if f.path.step[0] == name)


def counts(column: statistics_pb2.FeatureNameStatistics) -> Counter[str]:
    """Returns the statistics that add up over splits; sums of integers are exact."""
    if column.WhichOneof("stats") == "string_stats":
        common = column.string_stats.common_stats
        found = {b.label: int(b.sample_count) for b in column.string_stats.rank_histogram.buckets}
    else:
        common = column.num_stats.common_stats
        found = {
            "zeros": column.num_stats.num_zeros,
            "sum": round(column.num_stats.mean * common.num_non_missing),
        }
    return Counter(found | {"present": common.num_non_missing, "missing": common.num_missing})


def test_only_a_change_of_content_or_settings_reruns_the_component(runs):
    stat = runs.csv.stat()
    os.utime(runs.csv, (0, 0))
    assert set(runs.run().values()) == {"CACHED"}
    table = rows()
    table[0]["id"] = 1
    runs.csv.write_text(to_csv(table), encoding="utf-8")
    os.utime(runs.csv, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert runs.csv.stat().st_size == stat.st_size
    assert set(runs.run().values()) == {"COMPLETE"}
    assert runs.run(seed=1)["ColumnarExampleGen"] == "COMPLETE"
    runs.csv.write_text(to_csv(rows()), encoding="utf-8")
    assert set(runs.run().values()) == {"CACHED"}


def test_refused_data_leaves_no_artifact(runs):
    live = [a.uri for a in runs.store.get_artifacts() if a.state == mlmd.Artifact.LIVE]
    with pytest.raises(DataError, match="8 of 400 rows have no label"):
        runs.run(label=LABEL.model_copy(update={"max_missing": 0.01}))
    assert [a.uri for a in runs.store.get_artifacts() if a.state == mlmd.Artifact.LIVE] == live
    written = (runs.root / "artifacts" / "ColumnarExampleGen" / "examples").iterdir()
    assert {str(path) for path in written} <= set(live)
