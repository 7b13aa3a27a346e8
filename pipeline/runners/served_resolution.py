"""Looks the served model up before a run, for the components that read it."""

from __future__ import annotations

import os

from components.schema_curator.schema_text import parse_schema
from components.served_model import keys, pointer
from components.served_model.served_record import Role, ServedRecord
from components.served_model.version_records import refuse_lost_version
from components.tables.fingerprint import resolve_paths
from components.tables.readers import common_columns
from components.tables.splitting.split_record import SplitRecord, plan_split
from components.tables.typed_table import csv_settings
from pipeline.config import Config
from pipeline.core.contracts import ArtifactFile
from pipeline.keys import make_data_key, make_exports_key, make_run_key


def resolve_served_model(config: Config, serving: str, fingerprint: str) -> dict[Role, str]:
    """Returns the resolution of each role, for data with `fingerprint`.

    A ServedModel component has the resolution as a property, so that its cache entry holds only
    while the same model is served.

    Raises:
      ConfigError: the pointer is damaged, or the served version has lost files that this model
        would be compared with.
    """
    static: dict[Role, str] = {"reference": make_data_key(config), "baseline": make_run_key(config)}
    whole = {role: keys.add_fingerprint(key, fingerprint) for role, key in static.items()}
    refuse_lost_version(serving, whole["baseline"])
    return {
        r: pointer.make_resolution(k, pointer.find_record(serving, r, k)) for r, k in whole.items()
    }


def resolve_split(config: Config, serving: str, fingerprint: str) -> str:
    """Returns how the rows of the served model were divided, as JSON; empty if none is served.

    Empty, too, if the rows of a table are divided in the same way without this text: a cached
    ExampleGen then does not run again because a first model was pushed.

    Raises:
      ConfigError: the files cannot be found, or the pointer is damaged.
    """
    key = keys.add_fingerprint(make_data_key(config), fingerprint)
    served = pointer.find_record(serving, "reference", key)
    if served is None:
        return ""
    reference = SplitRecord.from_json(served.split) or _read_old_split(served, config.label.column)
    if config.data.source in ("csv", "parquet"):
        paths, _ = resolve_paths(config.data)
        columns = common_columns(paths, config.data)
        split = config.data_with_time_format().split
        csv = csv_settings(config.data)
        if reference == plan_split(split, columns, config.label.column, None, csv):
            return ""
    return reference.to_json()


def _read_old_split(served: ServedRecord, label: str) -> SplitRecord:
    path = os.path.join(served.served_schema, ArtifactFile.SCHEMA)
    with open(path, encoding="utf-8") as file:
        schema = parse_schema(file.read(), path)
    return SplitRecord.from_columns([f.name for f in schema.feature if f.name != label])


def resolve_withdrawal(config: Config, serving: str, fingerprint: str) -> str:
    """Returns the text by which the cache sees that the candidate is withdrawn, or empty text."""
    run_key = keys.add_fingerprint(make_run_key(config), fingerprint)
    push_key = keys.make_push_key(run_key, make_exports_key(config))
    return pointer.resolve_withdrawal(serving, push_key)
