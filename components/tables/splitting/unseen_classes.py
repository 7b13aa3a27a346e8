"""Finds the classes that no training row has, whatever the rows were read from.

The model cannot learn such a class: its rows in eval and test count as errors.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipeline.core.errors import DataError


def find_unseen_classes(
    label: str, classes: Sequence[str], found: Collection[str], trained: Collection[str]
) -> tuple[str, ...]:
    """Returns the classes that occur in the table but not in the training split.

    Args:
      label: the label's column.
      classes: all classes, in the order of the configuration.
      found: the classes of all rows.
      trained: the classes of the rows of the training split.

    Raises:
      DataError: all rows, or all rows of the training split, have the same class.
    """
    unseen = tuple(name for name in classes if name in found and name not in trained)
    if len(found) == 1:
        raise DataError(
            f"label '{label}': every row has the value {next(iter(found))!r}; "
            "there is nothing to learn"
        )
    if len(trained) == 1:
        raise DataError(
            f"label '{label}': every training row is of class {next(iter(trained))!r}; "
            f"{', '.join(map(repr, unseen))} occurs only in the other splits",
            "set another data.split.seed, or add rows; a split by time needs every class among "
            "the earliest rows",
        )
    return unseen


def describe_unseen_classes(unseen: Sequence[str]) -> str:
    """Returns what the user is told about these classes; empty text if there are none."""
    if not unseen:
        return ""
    names = ", ".join(map(repr, unseen))
    return f"no training row is of class {names}: the model cannot learn it"
