"""Makes and judges every export of a model, in a scratch directory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from components.model_exporter.batches import Array, read_batches
from components.model_exporter.conversion import Conversion, convert
from components.model_exporter.export_process import ExportJob
from components.model_exporter.formats.network import SavedNetwork, extract_network
from components.model_exporter.judging import Judge
from components.model_exporter.manifest import file_name, make_manifest
from components.model_exporter.measuring import measure_bytes, measure_milliseconds
from components.model_exporter.transformed_rows import SavedTransform
from components.model_exports.results import PUSHED, TRANSFORM
from components.predictions.table import Predictions
from pipeline.config import EvaluationConfig, ExportConfig, LabelConfig
from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import ExportResult
from pipeline.core.files import write_text_atomically

_SAME = 1e-3
"""How far a prediction may differ from the Evaluator's: batches of other sizes round otherwise."""


@dataclass(frozen=True)
class Places:
    """The files and directories of the exports of one model."""

    root: Path

    @property
    def network(self) -> Path:
        """The SavedModel of the network alone."""
        return self.root / "network"

    @property
    def batches(self) -> Path:
        """The evaluated rows, transformed."""
        return self.root / "batches"

    @property
    def pushed(self) -> Path:
        """What the Pusher copies; see `results.py`."""
        return self.root / PUSHED

    @property
    def transform(self) -> Path:
        """The SavedModel of Transform's graph."""
        return self.pushed / TRANSFORM

    def file(self, export: ExportConfig) -> Path:
        """The file of an export."""
        return self.pushed / file_name(export)


@dataclass(frozen=True)
class Exporter:
    """Makes the exports of one model.

    `prepare` comes first; then `export` makes and judges each export, and removes the file of one
    that fails; `write_manifest` comes last.
    """

    places: Places
    table: Predictions
    """The Evaluator's predictions of the rows that the exports are judged on."""
    label: LabelConfig
    evaluation: EvaluationConfig
    training_code: str
    """See `ExportJob`."""
    inputs: Mapping[str, Any]
    """See `ExportJob`."""

    def prepare(self, model: str, read_cells: Any) -> None:
        """Writes the network of the model and the transformed rows.

        `places.transform` has to exist.

        Args:
          model: the directory of the candidate's SavedModel.
          read_cells: takes columns, and returns the raw cells of the rows of `table`.

        Raises:
          ValueError: the parts of the model do not repeat the Evaluator's predictions.
        """
        extract_network(model, str(self.places.network))
        transform = SavedTransform(str(self.places.transform))
        self.places.batches.mkdir()
        transform.write_batches(read_cells(list(transform.inputs)), str(self.places.batches))
        if not np.allclose(self._predict(), self.table.candidate, rtol=_SAME, atol=_SAME):
            raise ValueError("the network does not repeat the Evaluator's predictions")

    def _predict(self) -> Array:
        network = SavedNetwork(str(self.places.network))
        return np.concatenate([network.predict(batch) for batch in self._read_batches()])

    def _read_batches(self) -> Any:
        return read_batches(str(self.places.batches))

    @property
    def _judge(self) -> Judge:
        return Judge(self.table, self.label, self.evaluation)

    def describe_models(self) -> list[ExportResult]:
        """Returns the model itself, and the served model if the Evaluator compared with one."""
        network = SavedNetwork(str(self.places.network))
        size, compressed = measure_bytes(str(self.places.network))
        model = ExportResult(
            name="model",
            kind="model",
            metrics=_finite(self._judge.measure(self.table.candidate)),
            bytes=size,
            gzip_bytes=compressed,
            milliseconds=measure_milliseconds(network.predict, next(self._read_batches())),
        )
        if self.table.served is None:
            return [model]
        metrics = _finite(self._judge.measure(self.table.served))
        return [model, ExportResult(name="served model", kind="served", metrics=metrics)]

    def export(self, export: ExportConfig) -> ExportResult:
        """Makes an export, judges it, and removes its file if it did not pass."""
        file = self.places.file(export)
        job = ExportJob(
            format=export.format,
            quantize=export.quantize,
            network=str(self.places.network),
            batches=str(self.places.batches),
            file=str(file),
            directory="",
            prune=export.prune,
            quantization_aware=export.quantization_aware,
            training_code=self.training_code,
            inputs=self.inputs,
        )
        conversion = convert(export.name, job)
        result = self._describe(export, conversion, file)
        if not result.passed:
            file.unlink(missing_ok=True)
        return result

    def _describe(self, export: ExportConfig, conversion: Conversion, file: Path) -> ExportResult:
        size, compressed = measure_bytes(str(file)) if file.exists() else (None, None)
        scores = conversion.scores
        if scores is None:
            return ExportResult(
                name=export.name,
                kind="export",
                passed=False,
                reasons=(conversion.failure,),
                bytes=size,
                gzip_bytes=compressed,
            )
        reasons = self._judge.explain_failures(scores, export.may_worsen_by)
        fits = scores.shape == self.table.candidate.shape
        return ExportResult(
            name=export.name,
            kind="export",
            passed=not reasons,
            reasons=tuple(reasons),
            metrics=_finite(self._judge.measure(scores)) if fits else {},
            max_difference=_max_difference(scores, self.table.candidate) if fits else None,
            bytes=size,
            gzip_bytes=compressed,
            milliseconds=conversion.outcome.milliseconds,
            zeros=conversion.outcome.zeros,
        )

    def write_manifest(self, passed: list[tuple[ExportConfig, ExportResult]]) -> None:
        """Writes the manifest of the exports that passed."""
        network = SavedNetwork(str(self.places.network))
        raw = SavedTransform(str(self.places.transform)).inputs
        text = make_manifest(self.places.pushed, network, raw, self.label, passed)
        path = self.places.pushed / ArtifactFile.EXPORT_MANIFEST
        write_text_atomically(path, text, durable=False)


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _max_difference(scores: Array, candidate: Array) -> float | None:
    difference = float(np.abs(scores.astype(np.float64) - candidate).max(initial=0.0))
    return difference if math.isfinite(difference) else None
