"""Predictions on Azure's protocol, against Azurite where it is installed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from batch_predictions import make_task, write_many

from pipeline.core.errors import ConfigError
from serving.batch.predict import predict
from serving.batch.results.output_directory import check_output
from serving.batch.results.output_files import open_output
from tests.pipeline.core.stores.test_other_providers import Put, azure

__all__ = ["azure"]


def test_a_container_gets_the_predictions_that_a_directory_gets(
    azure: tuple[str, Put], pushed: Path, tmp_path: Path
) -> None:
    root, put = azure
    content = write_many(tmp_path, 100, "a.csv").read_bytes()
    put("in/a.csv", content)
    local = make_task(pushed, tmp_path, part_rows=30)
    stored = dataclasses.replace(local, inputs=(f"{root}/in/*.csv",), output=f"{root}/out")
    check_output(stored.output, "prediction.output")
    predict(local)
    assert predict(stored).rows == 100
    assert predict(stored).reused_files == 1
    names = [f"a.csv-{number:05}.parquet" for number in range(4)]
    for name in (*names, "bad_rows.csv", "_SUCCESS"):
        assert open_output(stored.output).read(name) == (Path(local.output) / name).read_bytes()
    put("other/mine.txt", b"mine")
    with pytest.raises(ConfigError, match="holds other objects"):
        predict(dataclasses.replace(stored, output=f"{root}/other"))
