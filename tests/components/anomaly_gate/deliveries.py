"""A small table, and the findings of the gate in a second delivery, from real statistics."""

from __future__ import annotations

import copy
import functools
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.report import make_findings
from components.findings.findings import Findings
from components.schema_curator.curate import curate_schema
from components.schema_curator.executor import choose_base
from components.schema_curator.rules import CurationRules
from components.statistics_gen.component import build_stats_options
from components.statistics_view.column_summary import summarize_columns
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import Reference, Splits
from pipeline.config import Config
from pipeline.core.events import Finding

FARE, PAY, ZIP = "fare (€)", "pay/type", "zip.code"

_KNOWN: dict[bytes, Splits] = {}
"""Statistics by the table and the settings: they take nine tenths of the time of a check."""


def config(**sections: Any) -> Config:
    fields: dict[str, Any] = {
        "name": "small",
        "data": {"path": "table.csv"},
        "features": {FARE: "numeric", PAY: "categorical", ZIP: "categorical", "when": "timestamp"},
        "label": {"column": "y", "task": "binary", "classes": ["no", "yes"]},
        "evaluation": {"thresholds": [{"metric": "auc", "at_least": 0.5}]},
    }
    return Config.model_validate(fields | sections)


def table(rows: int = 1000, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            FARE: random.lognormal(2, 1, rows),
            PAY: random.choice(["Cash", "Card", "App"], rows, p=[0.6, 0.3, 0.1]),
            ZIP: random.integers(1, 40, rows),
            "when": np.arange(rows) + 10_000 * seed,
            "tip": np.where(random.random(rows) < 0.3, np.nan, random.random(rows)),
            "y": random.choice(["no", "yes"], rows),
        }
    )


def splits(data: pd.DataFrame, settings: Config) -> Splits:
    key = pickle.dumps((data, settings.categories()))
    if key not in _KNOWN:
        _KNOWN[key] = _compute_splits(data, settings)
    return copy.deepcopy(_KNOWN[key])


def _compute_splits(data: pd.DataFrame, settings: Config) -> Splits:
    ends = [0, len(data) * 8 // 10, len(data) * 9 // 10, len(data)]
    parts = (data[a:b] for a, b in pairwise(ends))
    options = build_stats_options(settings.categories())
    return {
        split: tfdv.generate_statistics_from_dataframe(part, stats_options=options).datasets[0]
        for split, part in zip(("train", "eval", "test"), parts, strict=True)
    }


def as_list(statistics: Any) -> Any:
    return statistics_pb2.DatasetFeatureStatisticsList(datasets=[statistics])


def given_schema(statistics: Splits, text: str | None) -> schema_pb2.Schema:
    """Returns the schema that ImportSchemaGen (with a text) or SchemaGen would write."""
    if text is not None:
        return text_format.Parse(text, schema_pb2.Schema())
    schema = tfdv.infer_schema(as_list(statistics["train"]))
    for split in ("eval", "test"):
        schema = tfdv.update_schema(schema, as_list(statistics[split]))
    return schema


def gate_rules(settings: Config) -> GateRules:
    """Returns the rules that AnomalyReport makes from the configuration."""
    return GateRules.of(
        settings.kinds_with_weight_column(), settings.label, settings.schema_, settings.validation
    )


def check(
    now: pd.DataFrame, before: pd.DataFrame | None, in_git: str | None = None, **sections: Any
) -> Findings:
    """Returns the findings in `now`, computed by the steps from StatisticsGen to AnomalyReport."""
    return check_inputs(now, before, in_git, **sections)[0]


def check_inputs(
    now: pd.DataFrame, before: pd.DataFrame | None, in_git: str | None = None, **sections: Any
) -> tuple[Findings, GateInputs]:
    """Returns the findings in `now`, and what they were found in."""
    if in_git is not None:
        sections["schema"] = {"path": "my.pbtxt"}
    settings = config(**sections)
    reference = None
    if before is not None and settings.schema_.reference == "served":
        known = splits(before, settings)
        reference = Reference("7", curated(known, None, settings), known)
    statistics = splits(now, settings)
    inputs = GateInputs(
        statistics=statistics,
        schema=curated(statistics, reference, settings, in_git),
        reference=reference,
        rules=gate_rules(settings),
    )
    anomalies = {
        split: tfdv.validate_statistics(as_list(part), inputs.schema)
        for split, part in statistics.items()
    }
    return make_findings(inputs, anomalies, functools.partial(read, now)), inputs


def read(data: pd.DataFrame, split: str, name: str) -> pa.ChunkedArray:
    """Returns the cells of a split, as ExampleGen stores them."""
    ends = {"train": (0, 8), "eval": (8, 9), "test": (9, 10)}[split]
    cells = data[name][slice(*(len(data) * end // 10 for end in ends))]
    if cells.dtype == object:
        texts = [None if pd.isna(cell) else cell.encode() for cell in cells]
        return pa.chunked_array([pa.array(texts, pa.large_binary())])
    return pa.chunked_array([pa.array(cells, from_pandas=True)])


def curated(
    statistics: Splits, reference: Reference | None, settings: Config, text: str | None = None
) -> schema_pb2.Schema:
    rules = CurationRules.of(
        settings.kinds_with_weight_column(), settings.label, settings.schema_, settings.validation
    )
    base, origin = choose_base(given_schema(statistics, text), reference, rules)
    observed = summarize_columns(statistics.values())
    known = summarize_columns(reference.statistics.values()) if reference else observed
    return curate_schema(base, origin, observed, known, rules)


def only(findings: Findings) -> Finding:
    (finding,) = findings.findings
    return finding


def change(rows: slice, column: str, value: Any) -> pd.DataFrame:
    """Returns the second delivery with these rows of a column replaced by a value."""
    data = table(seed=1)
    data[column] = data[column].astype(object)
    data.loc[data.index[rows], column] = value
    return data.infer_objects()


SCHEMA = f"""
feature {{ name: "{FARE}" type: FLOAT presence {{ min_fraction: 1 }}
  float_domain {{ min: 0 max: 20 }}
  drift_comparator {{ jensen_shannon_divergence {{ threshold: 1 }} }} }}
feature {{ name: "{PAY}" type: BYTES string_domain {{ value: "Cash" value: "Card" }} }}
feature {{ name: "{ZIP}" type: INT }}
feature {{ name: "when" type: INT }}
feature {{ name: "tip" type: FLOAT }}
feature {{ name: "y" type: BYTES }}
dataset_constraints {{ min_examples_count: 200 }}
"""
