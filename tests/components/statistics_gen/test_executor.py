"""StatisticsGen computes the same statistics with and without Beam, in every mode of Beam."""

from pathlib import Path

import pytest
from google.protobuf import json_format
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx.components.util import examples_utils
from tfx.proto import example_gen_pb2
from tfx.types import standard_artifacts

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.statistics_gen import executor, statistics
from components.statistics_gen.component import build_stats_options
from components.statistics_gen.executor import Executor
from pipeline.config import DataConfig, LabelConfig
from pipeline.config.sections.beam import RUNNER
from pipeline.core.contracts import Split

pytestmark = pytest.mark.slow

ROWS = 4000

MODES = {
    mode: [RUNNER, f"--direct_running_mode={mode}", "--direct_num_workers=2"]
    for mode in ("in_memory", "multi_threading", "multi_processing")
}


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> standard_artifacts.Examples:
    folder = tmp_path_factory.mktemp("examples")
    csv = folder / "t.csv"
    lines = (f"{i * 7919 % 1009},{i * i % 40},word {i % 613},,{'ab'[i % 2]}" for i in range(ROWS))
    csv.write_text("\n".join(["number,code,word,none,y", *lines]) + "\n")
    data = DataConfig(path=(str(csv),))
    label = LabelConfig(column="y", task="binary", classes=("a", "b"))
    uri = folder / "examples"
    directories = {name: uri / f"Split-{name}" for name in Split.ALL}
    ingest([csv], IngestConfig(data, label, {"y": "string", "none": "string"}), directories)
    artifact = standard_artifacts.Examples()
    artifact.uri, artifact.split_names = str(uri), '["train", "eval", "test"]'
    examples_utils.set_payload_format(artifact, example_gen_pb2.FORMAT_PARQUET)
    examples_utils.set_file_format(artifact, "FILE_FORMAT_PARQUET")
    return artifact


def run(
    examples: standard_artifacts.Examples, folder: Path, args: list[str]
) -> dict[str, statistics_pb2.DatasetFeatureStatistics]:
    found = standard_artifacts.ExampleStatistics()
    found.uri = str(folder)
    context = Executor.Context(
        beam_pipeline_args=args, tmp_dir=str(folder / "temporary"), unique_id="1"
    )
    options = {"stats_options_json": build_stats_options(["code", "word"]).to_json()}
    Executor(context).Do({"examples": [examples]}, {"statistics": [found]}, options)
    assert found.split_names == examples.split_names
    read = statistics_pb2.DatasetFeatureStatisticsList.FromString
    files = {name: folder / f"Split-{name}" / "FeatureStats.pb" for name in Split.ALL}
    return {name: read(file.read_bytes()).datasets[0] for name, file in files.items()}


@pytest.mark.parametrize(
    "mode",
    ["in_memory", *(pytest.param(m, marks=pytest.mark.long) for m in MODES if m != "in_memory")],
)
def test_every_mode_of_beam_gives_the_statistics_computed_without_beam(
    examples, tmp_path, monkeypatch, mode
):
    monkeypatch.setattr(statistics, "_BATCH_ROWS", 700)
    with monkeypatch.context() as patch:
        patch.setattr(executor.Executor, "_make_beam_pipeline", None)
        direct = run(examples, tmp_path / "direct", [RUNNER])
    beam = run(examples, tmp_path / "beam", MODES[mode])
    assert sum(split.num_examples for split in direct.values()) == ROWS
    kinds = {f.path.step[0]: f.WhichOneof("stats") for f in direct["train"].features}
    assert (kinds["number"], kinds["code"]) == ("num_stats", "string_stats")
    for name in Split.ALL:
        assert beam[name].num_examples == direct[name].num_examples
        assert exact_part(beam[name]) == exact_part(direct[name])


def exact_part(found: statistics_pb2.DatasetFeatureStatistics) -> dict[str, object]:
    """Returns the statistics without quantiles, which depend on the order, and rounded floats."""
    columns = {}
    for feature in found.features:
        numbers = feature.num_stats
        rounded = f"{numbers.mean:.9g} {numbers.std_dev:.9g} {numbers.min} {numbers.max}"
        numbers.ClearField("histograms")
        for field in ("mean", "std_dev", "median"):
            numbers.ClearField(field)
        columns[feature.path.step[0]] = rounded, json_format.MessageToDict(feature)
    return columns
