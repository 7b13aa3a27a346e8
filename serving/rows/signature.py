"""What a server needs to know of a signature: the names, types and shapes of inputs and outputs."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pipeline.core.contracts import MISSING_FLOAT, MISSING_INT, MISSING_STRING
from pipeline.core.date_formats import TimeColumn

DType = Literal["float32", "int64", "string"]

NUMPY_TYPES: dict[DType, type] = {"float32": np.float32, "int64": np.int64, "string": np.object_}
"""The NumPy type of an array that a session takes, by the type of the input."""
MISSING_VALUES: dict[DType, Any] = {
    "float32": MISSING_FLOAT,
    "int64": MISSING_INT,
    "string": MISSING_STRING.encode(),
}
"""What a model takes for a missing value of a raw column, by the type of the column."""


@dataclass(frozen=True)
class Tensor:
    """An input or an output of a signature."""

    name: str
    dtype: DType
    rank: int
    """1 for [batch], 2 for [batch, width]."""
    width: int | None = None
    """The size of the second dimension; None if there is none or if it is not fixed."""
    times: TimeColumn | None = None
    """How the times of the column are written; None for a column without times, and for a model
    that does not tell."""
    usual: str = ""
    """A frequent value of a column of text, for error messages; empty if none may be shown."""

    @property
    def is_column(self) -> bool:
        """Whether the input is a raw column, [batch, 1], in which a value may be missing."""
        return self.rank == 2


@dataclass(frozen=True)
class Group:
    """The inputs of a signature that have the same type, which one array can hold."""

    dtype: DType
    is_column: bool
    """Whether the inputs are raw columns, in which values may be missing."""
    inputs: tuple[Tensor, ...]


@dataclass(frozen=True)
class Signature:
    """A signature of a model; inputs and outputs are sorted by name."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    example_columns: tuple[Tensor, ...] = ()
    """The columns in the tf.Examples that the only input takes; empty for any other signature."""

    @functools.cached_property
    def groups(self) -> tuple[Group, ...]:
        """The inputs by type. Few arrays with many columns are made faster than many arrays."""
        kinds = sorted({(tensor.dtype, tensor.is_column) for tensor in self.inputs})
        return tuple(
            Group(*kind, tuple(t for t in self.inputs if (t.dtype, t.is_column) == kind))
            for kind in kinds
        )
