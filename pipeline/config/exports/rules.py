"""Checks the section `exports` against itself and against the model family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.config.base import RuleError
from pipeline.config.exports.section import ExportConfig

_NOT_EXPORTABLE: Mapping[str, str] = {
    "trees": "boosted trees are no network, and no converter of ONNX or TensorFlow Lite takes them",
    "blend": "a part of it is boosted trees, which no converter of ONNX or TensorFlow Lite takes",
}
"""The families without the signature `network`, and why: the one place where a family is refused.
The user's own families are networks; conversion tells whether it knows their operations."""


def find_broken_exports(
    exports: Sequence[ExportConfig], families: Iterable[str]
) -> Iterator[RuleError]:
    """Yields an error for a second export of the same name, and for families without a network.

    Args:
      families: the family of `model`, and those that a search tries.
    """
    names = [export.name for export in exports]
    for index, name in enumerate(names):
        if name in names[:index]:
            first = names.index(name) + 1
            yield RuleError(("exports", index), f"is the same as entry {first}: {name}")
    for family in families if exports else ():
        if family in _NOT_EXPORTABLE:
            yield RuleError(
                ("exports",),
                f"model.family: {family} cannot be exported: {_NOT_EXPORTABLE[family]}; choose "
                "another family, or remove the section",
            )
