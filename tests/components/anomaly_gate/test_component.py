"""Curator, report and gate run among TFX's own components in the real runner."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ml_metadata.proto import metadata_store_pb2
from tfx.components import ExampleValidator, SchemaGen, StatisticsGen
from tfx.dsl.components.common.importer import Importer
from tfx.orchestration import metadata
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.pipeline import Pipeline
from tfx.types import standard_artifacts

from components.anomaly_gate.component import AnomalyGate, AnomalyReport
from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.findings.findings import Findings, read_findings
from components.schema_curator.component import SchemaCurator
from components.served_model.artifacts import ServedModelRecord
from components.served_model.served_record import ServedRecord, reference_directory
from pipeline.config import Config
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import DataError

pytestmark = pytest.mark.slow

COMPLETE, CACHED, FAILED = (
    metadata_store_pb2.Execution.State.Value(name) for name in ("COMPLETE", "CACHED", "FAILED")
)
SPLITS = ("train", "eval", "test")
CONFIG = Config.model_validate(
    {
        "name": "gated",
        "data": {"path": "table.csv"},
        "features": {"fare (€)": "numeric", "pay.by": "categorical"},
        "label": {"column": "y", "task": "binary", "classes": ["no", "yes"]},
        "evaluation": {"thresholds": [{"metric": "auc", "at_least": 0.5}]},
    }
)
NODES = ("StatisticsGen", "SchemaGen", "SchemaCurator", "ExampleValidator", "AnomalyReport")


@pytest.fixture(autouse=True)
def _plain_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    # Beam's executors parse the command line, and would refuse the arguments of pytest.
    monkeypatch.setattr(sys, "argv", sys.argv[:1])


def write_examples(directory: Path, pay: list[bytes]) -> None:
    """Writes 30 rows per split in the form of ColumnarExampleGen."""
    columns = {
        "fare (€)": pa.array([[5.0], None, [7.5]] * 10, pa.large_list(pa.float32())),
        "pay.by": pa.array([[p] for p in pay] * (30 // len(pay)), pa.large_list(pa.large_binary())),
        "y": pa.array([[b"no"], [b"yes"]] * 15, pa.large_list(pa.large_binary())),
    }
    for split in SPLITS:
        path = directory / f"Split-{split}"
        path.mkdir(parents=True)
        pq.write_table(
            pa.table(columns), path / "data-00000-of-00001.parquet", use_compliant_nested_type=False
        )


def write_record(directory: Path, record: ServedRecord | None) -> None:
    directory.mkdir()
    text = record.to_json() if record else "{}"
    (directory / ArtifactFile.SERVED_RECORD).write_text(text, encoding="utf-8")


class Run:
    """Runs of the pipeline that share one metadata store."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.connection = metadata.sqlite_metadata_connection_config(str(root / "metadata.db"))

    def __call__(self, examples: Path, record: Path) -> None:
        LocalDagRunner().run(
            Pipeline(
                pipeline_name=CONFIG.name,
                pipeline_root=str(self.root / "artifacts"),
                components=list(_nodes(examples, record)),
                enable_cache=True,
                metadata_connection_config=self.connection,
            )
        )

    def states(self) -> dict[str, int]:
        """Returns the state of the latest execution of each node."""
        with metadata.Metadata(self.connection) as handle:
            store = handle.store
            types = {t.id: t.name.rpartition(".")[2] for t in store.get_execution_types()}
            executions = sorted(store.get_executions(), key=lambda e: e.id)
            return {types[e.type_id]: e.last_known_state for e in executions}

    def outputs(self, node: str, key: str) -> list[Path]:
        """Returns the directories of the artifacts of a node, the latest first."""
        directories = (self.root / "artifacts" / node / key).iterdir()
        return sorted(directories, key=lambda d: int(d.name), reverse=True)

    def findings(self) -> Findings:
        return read_findings(str(self.outputs("AnomalyReport", "findings")[0]))

    def record(self) -> ServedRecord:
        """Returns the record that the Pusher would write for the model of the latest run."""
        kept = Path(reference_directory(str(self.root), "7"))
        for component, name in (("StatisticsGen", "statistics"), ("SchemaCurator", "schema")):
            artifact = self.outputs(component, name)[0]
            shutil.copytree(artifact, kept / name, dirs_exist_ok=True)
        return ServedRecord(
            version="7",
            model="",
            evaluation="",
            statistics="",
            schema="",
            label=CONFIG.label.to_json(),
            data_key="",
            run_key="",
            directory=str(self.root),
        )


def _nodes(examples_uri: Path, record_uri: Path) -> Iterator[Any]:
    examples = Importer(
        source_uri=str(examples_uri),
        artifact_type=standard_artifacts.Examples,
        properties={"split_names": json.dumps(SPLITS)},
        custom_properties={
            "payload_format": "FORMAT_PARQUET",
            "file_format": "FILE_FORMAT_PARQUET",
        },
    ).with_id("Examples")
    record = Importer(source_uri=str(record_uri), artifact_type=ServedModelRecord).with_id("Record")
    reference = record.outputs["result"]
    statistics_gen = StatisticsGen(examples=examples.outputs["result"])
    statistics = statistics_gen.outputs["statistics"]
    schema_gen = SchemaGen(statistics=statistics)
    curator = SchemaCurator(
        schema=schema_gen.outputs["schema"],
        statistics=statistics,
        reference=reference,
        kinds=CONFIG.kinds_with_weight_column(),
        label=CONFIG.label,
        schema_config=CONFIG.schema_,
        validation=CONFIG.validation,
    )
    schema = curator.outputs["schema"]
    validator = ExampleValidator(statistics=statistics, schema=schema)
    report = AnomalyReport(
        examples=examples.outputs["result"],
        statistics=statistics,
        schema=schema,
        anomalies=validator.outputs["anomalies"],
        reference=reference,
        kinds=CONFIG.kinds_with_weight_column(),
        label=CONFIG.label,
        schema_config=CONFIG.schema_,
        validation=CONFIG.validation,
        places=PlaceSettings.of(CONFIG.features, CONFIG.data.split),
    )
    gate = AnomalyGate(findings=report.outputs["findings"])
    after = SchemaGen(statistics=statistics).with_id("After")
    after.add_upstream_node(gate)
    yield from (examples, record, statistics_gen, schema_gen, curator, validator, report, gate)
    yield after


def test_good_data_passes_and_bad_data_leaves_its_findings(tmp_path: Path) -> None:
    run = Run(tmp_path)
    good, bad, first, served = (tmp_path / name for name in ("good", "bad", "first", "served"))
    write_examples(good, [b"Cash", b"Card"])
    write_examples(bad, [b"Cash", b"Card", b"Crypto"])
    write_record(first, None)

    run(good, first)
    assert {run.states()[node] for node in (*NODES, "AnomalyGate")} == {COMPLETE}
    assert run.findings() == Findings("itself (first run)", ())
    write_record(served, run.record())

    run(good, first)
    assert {run.states()[node] for node in (*NODES, "AnomalyGate")} == {CACHED}

    with pytest.raises(DataError, match=r"pay\.by"):
        run(bad, served)
    assert run.states()["AnomalyReport"] == COMPLETE
    assert run.states()["AnomalyGate"] == FAILED
    findings = run.findings()
    assert findings.checked_against == "the served model 7"
    assert {(f.column, f.kind) for f in findings.stopping} == {("pay.by", "new_category")}
    assert findings.stopping[0].rows[0] == "row 2 of split train: Crypto"
    assert len(run.outputs("After", "schema")) == 1
