"""What a run has made, to compare runs on different engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from support import Project, Result, digest_tree
from tensorflow_metadata.proto.v0 import statistics_pb2


@dataclass(frozen=True)
class Outcome:
    """The results of a run."""

    rows: dict[str, int]
    statistics: dict[str, int]
    """The rows that StatisticsGen counted in each split."""
    means: dict[str, float]
    """The mean of each column of numbers in each split."""
    transformed: dict[str, str]
    """The digest of each transformed file."""
    transformed_rows: dict[str, int]
    metrics: dict[str, Any]


def read_outcome(project: Project, result: Result) -> Outcome:
    """Reads the newest artifacts of a run that pushed a model."""
    assert result.code == 0, result.output
    statistics = {
        folder.name.removeprefix("Split-"): _read_statistics(folder / "FeatureStats.pb")
        for folder in _newest(project, "StatisticsGen/statistics").glob("Split-*")
    }
    means = {
        f"{split} {feature.path.step[0]}": feature.num_stats.mean
        for split, dataset in statistics.items()
        for feature in dataset.features
        if feature.HasField("num_stats")
    }
    transformed = _newest(project, "Transform/transformed_examples")
    [rows] = [c["rows"] for c in result.summary["components"] if c["name"] == "ExampleGen"]
    return Outcome(
        rows=rows,
        statistics={split: dataset.num_examples for split, dataset in statistics.items()},
        means=means,
        transformed=digest_tree(transformed),
        transformed_rows={
            folder.name.removeprefix("Split-"): sum(
                pq.read_metadata(file).num_rows for file in folder.glob("*.parquet")
            )
            for folder in transformed.glob("Split-*")
        },
        metrics=result.summary["metrics"],
    )


def check_equal(expected: Outcome, project: Project, result: Result) -> None:
    """Checks that a run made what another run made, once, and left nothing else."""
    outcome = read_outcome(project, result)
    assert outcome.rows == outcome.statistics == expected.rows
    assert outcome.transformed_rows == {n: outcome.rows[n] for n in ("train", "eval")}
    assert outcome.means == pytest.approx(expected.means, rel=1e-12)
    assert outcome.transformed == expected.transformed
    assert outcome.metrics == expected.metrics
    assert result.summary["blessed"] is True
    assert list_leftovers(project) == []


def list_leftovers(project: Project) -> list[str]:
    """Returns the temporary files of Beam that a run has left."""
    output = project.directory / project.output
    return [str(path.relative_to(output)) for path in output.rglob("*beam-temp*")]


def _newest(project: Project, place: str) -> Path:
    component, output = place.split("/")
    found = (project.directory / project.output / "artifacts").glob(f"*/{component}/{output}/*")
    return max(found, key=lambda path: int(path.name))


def _read_statistics(file: Path) -> Any:
    read = statistics_pb2.DatasetFeatureStatisticsList.FromString(file.read_bytes())
    [dataset] = read.datasets
    return dataset
