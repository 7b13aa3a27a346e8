"""Executor of ColumnarExampleGen: runs `ingest` and describes the result on the artifact."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tfx import types
from tfx.components.example_gen import driver as tfx_driver
from tfx.components.example_gen import utils
from tfx.components.util import examples_utils
from tfx.dsl.components.base import base_beam_executor
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils, standard_component_specs

from components.columnar_example_gen.exec_properties import unpack_config
from components.columnar_example_gen.ingest import IngestReport, ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.on_workers.passes import WorkerPasses, open_exchange
from components.tables.digests import FileDigest, remembers
from components.tables.fingerprint import compute_fingerprint, resolve_paths
from components.tables.sources.table_path import TablePath
from components.tables.splitting.unseen_classes import describe_unseen_classes
from pipeline.config.sections.beam import uses_local_runner
from pipeline.core.contracts import Property, Split
from pipeline.core.errors import DataError
from pipeline.core.text import counted

_MOST_LISTED = 5
"""Columns that a note names: it is one line of the terminal."""


class ColumnarExecutor(base_beam_executor.BaseBeamExecutor):
    """Writes the examples in this process, or on the workers of the engine that `beam` names.

    On one machine Arrow alone is much faster than Beam (docs/performance.md).
    """

    def __init__(self, context: base_beam_executor.BaseBeamExecutor.Context | None = None) -> None:
        if context is not None and uses_local_runner(context.beam_pipeline_args or ()):
            # For any flags TFX would build a package of itself for the workers, for seconds.
            context.beam_pipeline_args = []
        super().__init__(context)

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        """Writes the splits of the span that the driver chose.

        Raises:
          ConfigError: see `ingest`.
          DataError: see `ingest`; or the files have changed since the driver read them.
        """
        del input_dict
        config = unpack_config(exec_properties)
        paths, span = resolve_paths(config.data, exec_properties.get(utils.SPAN_PROPERTY_NAME))
        artifacts = output_dict[standard_component_specs.EXAMPLES_KEY]
        examples = artifact_utils.get_single_instance(artifacts)
        examples.split_names = artifact_utils.encode_split_names(list(Split.ALL))
        uris = {name: artifact_utils.get_split_uri(artifacts, name) for name in Split.ALL}
        directories = {name: Path(uri) for name, uri in uris.items()}
        if self._beam_pipeline_args:
            report, fingerprint = self._ingest_on_workers(paths, config, directories, examples.uri)
        else:
            report = ingest(paths, config, directories)
            fingerprint = compute_fingerprint(paths)
        _refuse_changed_files(exec_properties.get(utils.FINGERPRINT_PROPERTY_NAME), fingerprint)
        _set_properties(examples, report, span, fingerprint)

    def _ingest_on_workers(
        self,
        paths: Sequence[TablePath],
        config: IngestConfig,
        directories: Mapping[str, Path],
        root: str,
    ) -> tuple[IngestReport, str]:
        """Returns the report, and the fingerprint of the files after the workers have read them."""
        with open_exchange(Path(root)) as exchange:
            digests: dict[Path, FileDigest] = {}
            is_known = remembers([p for p in paths if isinstance(p, Path)])
            make_passes = partial(
                WorkerPasses,
                self._make_beam_pipeline,
                config,
                directories,
                exchange,
                None if is_known else digests,
            )
            report = ingest(paths, config, directories, make_passes)
        return report, compute_fingerprint(paths, digests)


def _refuse_changed_files(expected: str | None, fingerprint: str) -> None:
    # Otherwise the cache would later return these examples for the earlier content.
    if expected not in (None, fingerprint):
        raise DataError("data.path: the files were changed while they were read", "run again")


def _set_properties(
    examples: types.Artifact, report: IngestReport, span: int, fingerprint: str
) -> None:
    examples_utils.set_payload_format(examples, example_gen_pb2.FORMAT_PARQUET)
    file_format = example_gen_pb2.FileFormat.Name(example_gen_pb2.FILE_FORMAT_PARQUET)
    examples_utils.set_file_format(examples, file_format)
    examples.set_string_custom_property(Property.ROWS, json.dumps(dict(report.rows)))
    missing = report.rows_without_label
    examples.set_int_custom_property(Property.ROWS_WITHOUT_LABEL, missing)
    examples.set_string_custom_property(Property.SPLIT, report.split.to_json())
    if note := "; ".join(_write_notes(report)):
        examples.set_string_custom_property(Property.NOTE, note)
    source = {
        utils.SPAN_PROPERTY_NAME: span,
        utils.VERSION_PROPERTY_NAME: None,
        utils.FINGERPRINT_PROPERTY_NAME: fingerprint,
    }
    tfx_driver.update_output_artifact(source, examples.mlmd_artifact)


def _list_columns(types: Mapping[str, str]) -> str:
    shown = [f"{name} ({kind})" for name, kind in islice(types.items(), _MOST_LISTED)]
    more = [f"{len(types) - _MOST_LISTED} more"] if len(types) > _MOST_LISTED else []
    return ", ".join([*shown, *more])


def _write_notes(report: IngestReport) -> Iterator[str]:
    if missing := report.rows_without_label:
        yield f"{counted(missing, 'row')} without a label left out"
    if report.new_split:
        yield report.new_split
    if report.unreadable:
        yield f"left out, not one value a cell: {_list_columns(report.unreadable)}"
    if unseen := describe_unseen_classes(report.unseen_classes):
        yield unseen
