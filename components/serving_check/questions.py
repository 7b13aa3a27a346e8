"""The questions of the serving check, made as the model server makes them of requests.

`serving_default` is asked in JSON rows and JSON columns, `serving_examples` in tf.Examples as
base64. The model server's own reader turns them into arrays.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from components.serving_check.bare_model import Array, Column, Inputs
from components.serving_check.sample import Row, Sample
from pipeline.core.contracts import Signature as Name
from pipeline.core.text import counted
from serving.rows.request import parse_json, read_rows
from serving.rows.signature import NUMPY_TYPES, Signature, Tensor

LARGE = 10_000
"""Rows of the largest request that the model server takes by default."""
_UNKNOWN_ROWS = 16
_UNKNOWN_TEXT = "a value that no table has \N{SNOWMAN}"
_UNKNOWN_DISTANCE = 1_000_003
"""Added to the largest integer of a column: a category that no row has, or a time days later."""

_LARGEST = 2**63 - 1


class UnservableError(Exception):
    """The model server cannot ask this model; the message says why."""


@dataclass(frozen=True)
class Question:
    """A request, and the right answer."""

    name: str
    signature: str
    inputs: Inputs
    rows: int
    """Rows of the answer; the rows of `inputs` are repeated to as many."""
    expected: Array | None = None
    """The predictions, float32 [rows] or [rows, classes]; None if only their equality over both
    signatures is known."""
    may_refuse: bool = False
    """Whether an error is a right answer."""


def read_signatures(described: Mapping[str, Any]) -> tuple[Signature, Signature]:
    """Returns `serving_default` and `serving_examples` as the model server describes them.

    Args:
      described: what `BareModel.load` returned.

    Raises:
      UnservableError: a signature is missing, or takes what the model server cannot send.
    """
    default, examples = (
        _read_signature(name, described) for name in (Name.SERVING_DEFAULT, Name.SERVING_EXAMPLES)
    )
    if [(t.dtype, t.rank) for t in examples.inputs] != [("string", 1)]:
        raise UnservableError(f"{examples.name} does not take one input, string [batch]")
    if not all(tensor.is_column and tensor.width == 1 for tensor in default.inputs):
        raise UnservableError(f"{default.name} has an input that is not [batch, 1]")
    return default, examples


def _read_signature(name: str, described: Mapping[str, Any]) -> Signature:
    if name not in described:
        raise UnservableError(f"the model has no signature {name}")
    inputs = sorted(described[name]["inputs"].items())
    return Signature(name, tuple(_read_tensor(name, *each) for each in inputs), ())


def _read_tensor(signature: str, name: str, info: Mapping[str, Any]) -> Tensor:
    dtype, shape = info["dtype"], tuple(info["shape"] or ())
    if dtype not in NUMPY_TYPES or len(shape) not in (1, 2):
        raise UnservableError(f"{signature}: '{name}' is {dtype} {shape}")
    return Tensor(name, dtype, len(shape), *shape[1:])


def make_questions(default: Signature, examples: Signature, sample: Sample) -> Iterator[Question]:
    """Yields all questions, the real rows first.

    Raises:
      RequestError: the rows have other columns than the signature.
    """
    rows, expected, count = sample.rows, sample.predictions, len(sample.rows)
    by_column = {name: [row[name] for row in rows] for name in rows[0]}
    columns = _to_inputs({"inputs": by_column}, default)
    yield Question("real rows as JSON columns", default.name, columns, count, expected)
    kinds = {t.name: t.dtype for t in default.inputs}
    missing, unknown = make_missing(rows), make_unknown(rows, kinds)
    for signature, words in ((default, "JSON rows"), (examples, "tf.Examples")):
        real = _ask_in(signature, rows, kinds)
        yield Question(f"real rows as {words}", signature.name, real, count, expected)
        yield Question("a batch of one", signature.name, real, 1, expected[:1])
        many = expected.take(np.arange(LARGE), axis=0, mode="wrap")
        yield Question(f"a batch of {counted(LARGE, 'row')}", signature.name, real, LARGE, many)
        for name, variants in (("missing values", missing), ("unknown categories", unknown)):
            inputs = _ask_in(signature, variants, kinds)
            yield Question(name, signature.name, inputs, len(variants))
        yield Question("no rows", signature.name, real, 0, may_refuse=True)
    yield Question("a wrong type", default.name, _mistype_columns(columns), 1, may_refuse=True)
    wrong = _to_inputs(_to_body(_mistype_examples(rows[:1], kinds)), examples)
    yield Question("a wrong type", examples.name, wrong, 1, may_refuse=True)


def make_missing(rows: Sequence[Row]) -> list[Row]:
    """Returns rows in which each column is missing once, and a row without any value."""
    names = list(rows[0])
    count = min(len(rows), len(names))
    lacking = [
        {**row, **dict.fromkeys(names[number::count])} for number, row in enumerate(rows[:count])
    ]
    return [*lacking, dict.fromkeys(names)]


def make_unknown(rows: Sequence[Row], kinds: Mapping[str, str]) -> list[Row]:
    """Returns rows whose texts and integers occur in no row."""
    unknown: dict[str, Any] = {n: _UNKNOWN_TEXT for n, kind in kinds.items() if kind == "string"}
    for name in (n for n, kind in kinds.items() if kind == "int64"):
        largest = max(int(row[name] or 0) for row in rows)
        unknown[name] = min(largest + _UNKNOWN_DISTANCE, _LARGEST)
    return [{**row, **unknown} for row in rows[:_UNKNOWN_ROWS]]


def _ask_in(signature: Signature, rows: Sequence[Row], kinds: Mapping[str, str]) -> Inputs:
    if signature.name == Name.SERVING_DEFAULT:
        return _to_inputs({"instances": rows}, signature)
    return _to_inputs(_to_body([to_example(row, kinds) for row in rows]), signature)


def to_example(row: Row, kinds: Mapping[str, str]) -> bytes:
    """Returns the row as a serialized tf.Example; a missing value has no feature."""
    given = {name: value for name, value in row.items() if value is not None}
    features = {name: _to_feature(value, kinds[name]) for name, value in given.items()}
    example = tf.train.Example(features=tf.train.Features(feature=features))
    serialized: bytes = example.SerializeToString()
    return serialized


def _to_feature(value: Any, kind: str) -> tf.train.Feature:
    if kind == "string":
        encoded = value.encode() if isinstance(value, str) else base64.b64decode(value["b64"])
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[encoded]))
    if kind == "int64":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(value)]))
    return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))


def _to_body(examples: Sequence[bytes]) -> dict[str, Any]:
    return {"instances": [{"b64": base64.b64encode(each).decode()} for each in examples]}


def _to_inputs(body: Mapping[str, Any], signature: Signature) -> dict[str, Column]:
    rows = read_rows(parse_json(json.dumps(body).encode()), signature)
    return {
        tensor.name: Column(group.dtype, values, group.is_column)
        for group, block in zip(signature.groups, rows.blocks, strict=True)
        for tensor, values in zip(group.inputs, block.T, strict=True)
    }


def _mistype_columns(columns: Inputs) -> Inputs:
    """Returns the columns with texts in a column of numbers, or numbers in all columns."""
    numbers = [name for name, column in columns.items() if column.dtype != "string"]
    if numbers:
        text = Column("string", np.array([_UNKNOWN_TEXT.encode()], np.object_))
        return {**columns, numbers[0]: text}
    return dict.fromkeys(columns, Column("float32", np.zeros(1, np.float32)))


def _mistype_examples(rows: Sequence[Row], kinds: Mapping[str, str]) -> list[bytes]:
    """Returns the rows as tf.Examples with texts for numbers and numbers for texts."""
    other = {name: "float32" if kind == "string" else "string" for name, kind in kinds.items()}
    values = {name: 1.0 if kind == "float32" else _UNKNOWN_TEXT for name, kind in other.items()}
    return [to_example(values, other) for _ in rows]
