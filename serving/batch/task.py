"""Task: which files are scored with which model, and what is written where."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from pipeline.config import DataConfig

Format = Literal["parquet", "csv"]

ALL_COLUMNS = "*"
"""The name that stands for all columns of an input file."""


@dataclass(frozen=True)
class Task:
    """One prediction; all paths are absolute or addresses, so that any process can work on it."""

    inputs: tuple[str, ...]
    """Files or objects, or patterns of them."""
    output: str
    """The directory for predictions, bad rows and manifest."""
    model: str
    """The directory of the SavedModel."""
    version: str
    """The model's version, for the manifest."""
    data: str
    """The section `data` as JSON: the dialect of CSV files, and limits."""
    key: str | None = None
    """The column that identifies a row; a row without it is a bad row."""
    columns: tuple[str, ...] = ()
    """The columns to copy beside the key; `ALL_COLUMNS` stands for all."""
    format: Format = "parquet"
    prefix: str = ""
    """What the names of the model's outputs begin with."""
    max_bad_rows: str = ""
    """How many rows may be bad; see `RowLimit`. Empty: the default."""
    part_rows: int = 1_000_000
    """The rows of a file whose predictions go to one output file. A killed prediction repeats the
    rows of unfinished parts: a few seconds for a usual model."""
    overwrite: bool = False
    """Whether predictions for other files in the output directory are removed."""
    beam: tuple[str, ...] | None = None
    """Beam's flags; None where threads of one process do the work."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Returns the task that `to_json` wrote."""
        fields = json.loads(text)
        for name in ("inputs", "columns", "beam"):
            fields[name] = None if fields[name] is None else tuple(fields[name])
        return cls(**fields)

    @property
    def data_config(self) -> DataConfig:
        """The section `data`; its `source` and `path` are those of the training table."""
        return DataConfig.model_validate_json(self.data)

    def describe_result(self) -> dict[str, object]:
        """Returns the settings that the content of the predictions depends on."""
        data = self.data_config
        return {
            "csv": data.csv.model_dump(mode="json"),
            "types": dict(data.types),
            "key": self.key,
            "columns": list(self.columns),
            "format": self.format,
            "prefix": self.prefix,
            "part_rows": self.part_rows,
        }
