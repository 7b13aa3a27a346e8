"""What a run has made, to compare runs on different engines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from google.protobuf.json_format import MessageToDict
from support import Project, Result, digest_tree
from tensorflow_metadata.proto.v0 import statistics_pb2

LEFTOVERS = ("*beam-temp*", "*.unfinished*", ".exchange-*", ".engine-*")
"""What an interrupted job may leave: files of Beam, of ExampleGen, and of the first small job."""
_FROM_SKETCHES = re.compile(r"\.(histograms\[|median|quantiles)")
"""Statistics whose last digits depend on the order in which sketches were merged."""

Values = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The results of a run."""

    rows: dict[str, int]
    examples: dict[str, str]
    """The digest of each file of ExampleGen."""
    statistics: dict[str, Values]
    """All statistics of each split, by the path of the field."""
    transformed: dict[str, str]
    """The digest of each transformed file."""
    transformed_rows: dict[str, int]
    metrics: dict[str, Any]


LocalRun = tuple[Project, Outcome]
"""A project, and the outcome of its run on this machine."""


def copy_of(local: LocalRun, directory: Path) -> Project:
    """Returns a project with the same configuration, and an output directory of its own."""
    project = Project(directory)
    project.write("my.yaml", (local[0].directory / "my.yaml").read_text(encoding="utf-8"))
    return project


def read_outcome(project: Project, result: Result) -> Outcome:
    """Reads the newest artifacts of a run that pushed a model."""
    assert result.code == 0, result.output
    transformed = _newest(project, "Transform/transformed_examples")
    [rows] = [c["rows"] for c in result.summary["components"] if c["name"] == "ExampleGen"]
    return Outcome(
        rows=rows,
        examples=digest_tree(_newest(project, "ExampleGen/examples")),
        statistics={
            folder.name.removeprefix("Split-"): _read_statistics(folder / "FeatureStats.pb")
            for folder in _newest(project, "StatisticsGen/statistics").glob("Split-*")
        },
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
    assert outcome.rows == expected.rows
    assert outcome.examples == expected.examples
    assert {n: values["numExamples"] for n, values in outcome.statistics.items()} == {
        n: str(count) for n, count in expected.rows.items()
    }
    for split, values in expected.statistics.items():
        _check_statistics(outcome.statistics[split], values)
    assert outcome.transformed_rows == {n: outcome.rows[n] for n in ("train", "eval")}
    assert outcome.transformed == expected.transformed
    assert outcome.metrics.keys() == expected.metrics.keys()
    for name, metrics in expected.metrics.items():
        # Float32 sums, such as of the log loss, depend on the order in which workers finish.
        assert outcome.metrics[name] == pytest.approx(metrics, rel=1e-8, nan_ok=True)
    assert result.summary["blessed"] is True
    assert list_leftovers(project) == []


def predict(project: Project, table: str, output: str, *arguments: str) -> None:
    """Scores a table with the pushed model of a project."""
    result = project.command(
        "predict", "--config", "my.yaml", "--workspace", str(project.directory / project.output),
        "--input", table, "--output", output, *arguments,
    )  # fmt: skip
    assert result.code == 0, result.output


def list_leftovers(project: Project) -> list[str]:
    """Returns the temporary files of jobs that a run has left."""
    output = project.directory / project.output
    found = [path for pattern in LEFTOVERS for path in output.rglob(pattern)]
    return [str(path.relative_to(output)) for path in found]


def _check_statistics(values: Values, expected: Values) -> None:
    """Compares all fields: floats to the last digits, which the order of additions decides."""
    floats = {path for path, value in expected.items() if isinstance(value, float)}
    sketched = {path for path in floats if _FROM_SKETCHES.search(path)}
    for paths, tolerance in ((sketched, 1e-4), (floats - sketched, 1e-12)):
        near = pytest.approx({path: expected[path] for path in paths}, rel=tolerance)
        assert {path: values.get(path) for path in paths} == near
    assert {path: value for path, value in values.items() if path not in floats} == {
        path: value for path, value in expected.items() if path not in floats
    }


def _newest(project: Project, place: str) -> Path:
    component, output = place.split("/")
    found = (project.directory / project.output / "artifacts").glob(f"*/{component}/{output}/*")
    return max(found, key=lambda path: int(path.name))


def _read_statistics(file: Path) -> Values:
    read = statistics_pb2.DatasetFeatureStatisticsList.FromString(file.read_bytes())
    [dataset] = read.datasets
    features = sorted(dataset.features, key=lambda feature: list(feature.path.step))
    del dataset.features[:]
    dataset.features.extend(features)
    return dict(_flatten(MessageToDict(dataset)))


def _flatten(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the leaves of nested messages, each with its path."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flatten(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _flatten(item, f"{path}[{index}]")
    else:
        yield path, value
