"""A table that workers read gives the bytes, the report and the errors of one machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from components.columnar_example_gen import label_checks, parts, shards
from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.on_workers import work
from components.columnar_example_gen.on_workers.passes import WorkerPasses, open_exchange
from components.tables import csv_file
from components.tables.digests import FileDigest
from components.tables.fingerprint import compute_fingerprint
from pipeline.config.sections.beam import RUNNER
from pipeline.core.contracts import Split
from pipeline.core.errors import PipelineError
from tests.components.columnar_example_gen.on_workers.shared_pipeline import SharedPipelines
from tests.components.columnar_example_gen.on_workers.tables import BAD, GOOD

pytestmark = pytest.mark.slow

TABLES = {**GOOD, **BAD}
Outcome = Any
"""What a user and later components see: the report and the content of all files, or the error."""


@pytest.fixture(scope="module")
def small_limits() -> Iterator[None]:
    """Blocks, parts, shards and tallies of small tables are divided like those of large tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "BLOCK_BYTES", 512)
        patch.setattr(parts, "_SMALLEST_SHARED", 200)
        patch.setattr(parts, "_RANGE_BYTES", 2000)
        patch.setattr(shards, "_SHARD_ROWS", 70)
        patch.setattr(shards, "_FEWEST_ROWS_TO_HALVE", 20)
        patch.setattr(label_checks, "_MOST_UNKNOWN_LABELS", 20)
        patch.setattr(work, "_MOST_CELLS", 32)
        yield


@pytest.fixture(scope="module")
def outcomes(
    tmp_path_factory: pytest.TempPathFactory, small_limits: None
) -> Mapping[str, tuple[Outcome, Outcome]]:
    """Returns what came of each table, locally and on workers."""
    root = tmp_path_factory.mktemp("tables")
    shared = SharedPipelines(partial(beam.Pipeline, options=PipelineOptions([RUNNER])))
    written = {
        name: table.write(root / str(number)) for number, (name, table) in enumerate(TABLES.items())
    }
    local = {name: describe(root, name, *files) for name, files in written.items()}
    on_workers = shared.call_all(
        {
            name: partial(describe, root, name, *files, make_pipeline=shared.make_pipeline)
            for name, files in written.items()
        }
    )
    return {name: (local[name], on_workers[name]) for name in TABLES}


def describe(root: Path, name: str, paths: Any, config: Any, make_pipeline: Any = None) -> Outcome:
    output = root / f"{name}, {'on workers' if make_pipeline else 'here'}"
    directories = {split: output / f"Split-{split}" for split in Split.ALL}
    try:
        if make_pipeline is None:
            report, fingerprint = ingest(paths, config, directories), compute_fingerprint(paths)
        else:
            with open_exchange(output) as exchange:
                digests: dict[Path, FileDigest] = {}
                make_passes = partial(
                    WorkerPasses, make_pipeline, config, directories, exchange, digests
                )
                report = ingest(paths, config, directories, make_passes)
            fingerprint = compute_fingerprint(paths, digests)
    except PipelineError as error:
        return type(error), error.message, error.hint
    files = {str(p.relative_to(output)): p.read_bytes() for p in output.rglob("*") if p.is_file()}
    return report, fingerprint, files


@pytest.mark.parametrize("name", TABLES)
def test_workers_give_the_bytes_the_report_and_the_errors_of_one_machine(
    outcomes: Mapping[str, tuple[Outcome, Outcome]], name: str
) -> None:
    here, there = outcomes[name]
    if refusal := TABLES[name].refusal:
        assert refusal in here[1]
    else:
        assert len(here[2]) >= 3
    assert there == here


def test_nothing_but_shards_is_left(outcomes: Mapping[str, tuple[Outcome, Outcome]]) -> None:
    for name in GOOD:
        for _, _, files in outcomes[name]:
            for path in files:
                assert Path(path).match("Split-*/data-*-of-*.parquet"), path
