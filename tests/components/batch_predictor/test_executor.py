import io
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from object_store import Bucket
from pushed_models import push

from components.batch_predictor.artifacts import BatchPredictions
from components.batch_predictor.executor import Executor
from pipeline.config import CsvConfig, DataConfig
from pipeline.config.sections.beam import RUNNER
from pipeline.config.sections.serving import PredictionConfig
from pipeline.core.contracts import Property
from pipeline.core.errors import ConfigError, DataError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    push(tmp_path / "serving", "1", 0.0)
    (tmp_path / "new").mkdir()
    write(tmp_path, "a.csv", "k1;1;2;Cash", "k2;;;")
    return tmp_path


def write(place: Path, name: str, *lines: str) -> None:
    text = "\n".join(["id;größe (cm);count;payment", *lines]) + "\n"
    (place / "new" / name).write_text(text, encoding="utf-8")


def execute(place: Path, flags: tuple[str, ...] = (RUNNER,), **section: Any) -> BatchPredictions:
    places = {"input": str(place / "new" / "*.csv"), "output": str(place / "out")}
    prediction = PredictionConfig(key="id", **{**places, **section})
    data = DataConfig(path="-", csv=CsvConfig(delimiter=";"))
    artifact = BatchPredictions()
    artifact.uri = str(place / "artifact")
    Path(artifact.uri).mkdir(exist_ok=True)
    executor = Executor(Executor.Context(beam_pipeline_args=list(flags)))
    executor.Do(
        {},
        {"batch_predictions": [artifact]},
        {
            "serving_directory": str(place / "serving"),
            "prediction": prediction.to_json(),
            "data": data.to_json(),
            "run": "1",
        },
    )
    return artifact


def test_files_are_scored_with_the_served_version(place: Path) -> None:
    artifact = execute(place)
    note = artifact.get_string_custom_property(Property.NOTE)
    assert note == f"version 1 scored 2 rows of 1 file: {place / 'out'}"
    table = pq.read_table(place / "out" / "a.csv-00000.parquet")
    assert table["probability"].to_pylist() == pytest.approx([0.13, 0.7])
    manifest = Path(artifact.uri) / "manifest.json"
    assert manifest.read_text() == (place / "out" / "manifest.json").read_text()


def test_a_later_run_scores_new_files_and_forgets_files_that_are_gone(place: Path) -> None:
    execute(place)
    write(place, "b.csv", "k3;0;5;Card")
    note = execute(place).get_string_custom_property(Property.NOTE)
    assert "scored 3 rows of 2 files, 1 file as before" in note
    (place / "new" / "a.csv").unlink()
    execute(place)
    assert [path.name for path in (place / "out").glob("*.parquet")] == ["b.csv-00000.parquet"]


def test_the_engine_of_beam_scores_the_same(place: Path) -> None:
    execute(place, (RUNNER, "--direct_running_mode=in_memory"), max_bad_rows="0")
    table = pq.read_table(place / "out" / "a.csv-00000.parquet")
    assert table["id"].to_pylist() == ["k1", "k2"]


def test_nothing_is_scored_before_the_first_push(place: Path) -> None:
    (place / "serving" / "served.json").unlink()
    note = execute(place).get_string_custom_property(Property.NOTE)
    assert note == "no version is served yet, so no file is scored"
    assert not (place / "out").exists()


def test_bad_rows_and_a_missing_model_stop_the_component(place: Path) -> None:
    write(place, "b.csv", "k3;x;5;Card")
    with pytest.raises(DataError, match="1 bad row of 3"):
        execute(place)
    shutil.rmtree(place / "serving" / "1")
    with pytest.raises(ConfigError):
        execute(place)


def test_objects_of_a_store_are_scored_into_a_store(place: Path, bucket: Bucket) -> None:
    bucket.put("new/a.csv", (place / "new" / "a.csv").read_bytes())
    addresses = {"input": bucket.url("new/*.csv"), "output": bucket.url("out")}
    artifact = execute(place, **addresses)
    note = artifact.get_string_custom_property(Property.NOTE)
    assert note == f"version 1 scored 2 rows of 1 file: {bucket.url('out')}"
    table = pq.read_table(io.BytesIO(read(bucket, "out/a.csv-00000.parquet")))
    assert table["probability"].to_pylist() == pytest.approx([0.13, 0.7])
    manifest = Path(artifact.uri) / "manifest.json"
    assert manifest.read_bytes() == read(bucket, "out/manifest.json")
    # The glob of a schedule names other files from day to day.
    bucket.client.delete_object(Bucket=bucket.name, Key="new/a.csv")
    bucket.put("new/b.csv", (place / "new" / "a.csv").read_bytes())
    execute(place, **addresses)
    found = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix="out/a.csv")
    assert found["KeyCount"] == 0


def read(bucket: Bucket, key: str) -> bytes:
    return bytes(bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"].read())
