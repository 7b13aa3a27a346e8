"""Reads the body of a predict request: JSON rows (`instances`) or JSON columns (`inputs`).

The format is that of TensorFlow Serving's REST API. Beyond it, a value of a column may stand
without brackets, and `null` is a missing value.
"""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import orjson

from pipeline.core.contracts import Signature as SignatureName
from pipeline.core.text import counted, shorten
from serving.errors import RequestError, bad_request, too_many_rows
from serving.rows.checks import check_values
from serving.rows.signature import Signature
from serving.rows.values import Array, Cells, to_array

_MOST_NAMES = 10
"""Columns that an error message names."""
_LONGEST_NAME = 100
"""Characters of a column's name that an error message repeats."""
_MORE_THAN_JSON = (b"NaN", b"Infinity")
"""Words for numbers that Python and TensorFlow Serving read and JSON does not have."""


@dataclass(frozen=True)
class Rows:
    """The rows of a request."""

    blocks: tuple[Array, ...]
    """An array [count, inputs] for each group of the signature's inputs."""
    count: int
    is_row_format: bool
    """Whether the request gave `instances`; the response has the same format."""


def parse_json(body: bytes) -> Mapping[str, Any]:
    """Returns the JSON object in the body; NaN, Infinity and -Infinity are numbers.

    Raises:
      RequestError: the body is not a JSON object.
    """
    try:
        content = _loads(body)
    except (ValueError, RecursionError) as error:
        raise bad_request(f"JSON Parse error: {error}") from None
    if not isinstance(content, dict):
        raise bad_request("the body is not a JSON object with 'instances' or 'inputs'")
    return content


def _loads(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        # Python's parser takes three times as long, and knows the additional words.
        if not any(word in body for word in _MORE_THAN_JSON):
            raise
        return json.loads(body.decode())


def signature_name(request: Mapping[str, Any]) -> str:
    """Returns the signature that the request asks for.

    Raises:
      RequestError: the name is not text.
    """
    name = request.get("signature_name", "")
    if not isinstance(name, str):
        raise bad_request("'signature_name' is not text")
    return name or SignatureName.SERVING_DEFAULT


def read_rows(
    request: Mapping[str, Any], signature: Signature, most_rows: int | None = None
) -> Rows:
    """Returns the rows of a request for this signature.

    Raises:
      RequestError: a column is missing, unknown or has another type, a time has another format, or
        there are no rows, or more than `most_rows`.
    """
    if ("instances" in request) is ("inputs" in request):
        raise bad_request("the body needs either 'instances' (rows) or 'inputs' (columns)")
    if is_row_format := "instances" in request:
        _check_count(_count_values(request["instances"]), most_rows)
        rows = _read_instances(request["instances"], signature)
    else:
        _check_count(_count_longest(request["inputs"]), most_rows)
        rows = _read_inputs(request["inputs"], signature)
    if not rows:
        raise bad_request("the request holds no rows")
    names = [[tensor.name for tensor in group.inputs] for group in signature.groups]
    blocks = tuple(
        to_array(group, _select(rows, of_group))
        for group, of_group in zip(signature.groups, names, strict=True)
    )
    check_values(signature, blocks)
    return Rows(blocks, len(rows), is_row_format)


def _check_count(rows: int, most_rows: int | None) -> None:
    # Before the conversion: the rows of a body of 16 MB can take gigabytes.
    if most_rows is not None and rows > most_rows:
        raise too_many_rows(rows, most_rows)


def _count_values(values: Any) -> int:
    return len(values) if isinstance(values, list) else 0


def _count_longest(inputs: Any) -> int:
    columns = inputs.values() if isinstance(inputs, dict) else [inputs]
    return max(map(_count_values, columns), default=0)


def _select(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Cells:
    if len(names) == 1:
        return [(row[names[0]],) for row in rows]
    return list(map(itemgetter(*names), rows))


def _read_instances(instances: Any, signature: Signature) -> Sequence[Mapping[str, Any]]:
    """Returns the rows; each has exactly the columns of the signature."""
    if not isinstance(instances, list):
        raise bad_request("'instances' is not a list of rows")
    names = {tensor.name for tensor in signature.inputs}
    if len(names) == 1 and not _are_named(instances, *names):
        return [dict.fromkeys(names, value) for value in instances]
    if _have_names(instances, names):
        return instances
    renamed = _normalize_names(instances, names)
    if not _have_names(renamed, names):
        raise _explain_row(renamed, [tensor.name for tensor in signature.inputs])
    return renamed


def _have_names(rows: Sequence[Any], names: Set[str]) -> bool:
    # By type, since the keys of anything else cannot be compared.
    return all(type(row) is dict and row.keys() == names for row in rows)


def _normalize_names(rows: Sequence[Any], names: Iterable[str]) -> Sequence[Any]:
    """Returns the rows with the signature's names where only the Unicode form differs.

    Some systems write `ö` as two characters. A row that has a name in both forms stays as it is.
    """
    known = {unicodedata.normalize("NFC", name): name for name in names}

    def rename(row: Any) -> Any:
        if not isinstance(row, dict):
            return row
        renamed = {known.get(unicodedata.normalize("NFC", key), key): row[key] for key in row}
        return renamed if len(renamed) == len(row) else row

    return list(map(rename, rows))


def _are_named(instances: Sequence[Any], name: str) -> bool:
    """Whether the values of a signature's only input come under its name."""
    return all(type(row) is dict and (name in row or row.keys() != {"b64"}) for row in instances)


def _read_inputs(inputs: Any, signature: Signature) -> Sequence[Mapping[str, Any]]:
    """Returns the rows that columns mean."""
    names = [tensor.name for tensor in signature.inputs]
    if len(names) == 1 and isinstance(inputs, list):
        inputs = {names[0]: inputs}
    if not isinstance(inputs, dict):
        raise bad_request("'inputs' is not an object with a list of values for each column")
    (inputs,) = _normalize_names([inputs], names)
    if problem := compare_names(inputs, names):
        raise bad_request(f"inputs: {problem}")
    for name in names:
        if not isinstance(inputs[name], list):
            raise bad_request(f"inputs: '{name}' is not a list with a value for each row")
    if len({len(values) for values in inputs.values()}) > 1:
        raise _describe_lengths(inputs)
    return [dict(zip(inputs, row, strict=True)) for row in zip(*inputs.values(), strict=True)]


def _explain_row(instances: Sequence[Any], names: Sequence[str]) -> RequestError:
    """Returns the error for the first row whose columns are not those of the signature."""
    for index, row in enumerate(instances):
        if not isinstance(row, dict):
            return bad_request(f"row {index} is not an object with a value for each column")
        if problem := compare_names(row, names):
            return bad_request(f"row {index}: {problem}")
    raise AssertionError("the rows have the columns of the signature")


def compare_names(
    given: Mapping[str, Any], names: Sequence[str], hint: str = "null is a missing value"
) -> str:
    """Returns what differs between the given and the expected columns, or an empty text.

    Args:
      hint: how a request gives a missing value.
    """
    expected = set(names)
    unknown = [name for name in given if name not in expected]
    # Only for the names that are shown: a search takes a millisecond.
    shown = [_suggest(name, names) for name in unknown[:_MOST_NAMES]]
    missing = [f"'{name}'" for name in names if name not in given]
    parts = []
    if missing:
        parts.append(f"missing {_list(missing, len(missing))} ({hint})")
    if unknown:
        parts.append(f"unknown {_list(shown, len(unknown))}")
    return "; ".join(parts)


def _suggest(name: str, names: Iterable[str]) -> str:
    name = shorten(name, _LONGEST_NAME)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"'{name}'" + (f" (did you mean '{near[0]}'?)" if near else "")


def _list(names: Sequence[str], count: int) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    more = f" and {counted(count - _MOST_NAMES, 'other')}" if count > _MOST_NAMES else ""
    return f"{'column' if count == 1 else 'columns'} {shown}{more}"


def _describe_lengths(inputs: Mapping[str, Sequence[Any]]) -> RequestError:
    names = {len(values): name for name, values in inputs.items()}
    shown = " and ".join(f"'{name}' {counted(n, 'value')}" for n, name in list(names.items())[:2])
    return bad_request(f"inputs: the columns differ in length: {shown}")
