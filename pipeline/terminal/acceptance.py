"""How a user accepts findings of the data gate, for the terminal and for pages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from pipeline.core.contracts import NO_REFERENCE
from pipeline.core.events import DataChecked, Finding

_OPTIONS = re.compile(r"`(--set [^`]+)`")
"""Options in a sentence of a finding."""
ACCEPT_ALL = "schema.reference=none"
"""The assignment that accepts all that differs from the served model's data."""
ACCEPT_ALL_TEXT = (
    "Only if all of the new data is correct, accept everything at once. The gate then compares "
    "the data with nothing: it finds no drift, no new category and no rise of missing values in "
    "any column, and the model that the run pushes becomes the reference"
)
COMBINED_TEXT = "To accept all of these findings, and nothing else"
_SERVED = "the served model"


def group_by_acceptance(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Returns each way to accept findings once, with the columns or kinds that it settles.

    A column with several kinds of findings is named with the kind.
    """
    groups: dict[str, list[str]] = {}
    for finding in findings:
        names = groups.setdefault(finding.accept, [])
        if (name := _name_finding(finding, findings)) not in names:
            names.append(name)
    return groups


def _name_finding(finding: Finding, findings: Sequence[Finding]) -> str:
    kind = finding.kind.replace("_", " ")
    if finding.column is None:
        return kind
    kinds = {other.kind for other in findings if other.column == finding.column}
    return finding.column if len(kinds) == 1 else f"{finding.column} ({kind})"


def find_options(accept: str) -> list[str]:
    """Returns the arguments that accept a finding: `["--set", "KEY=VALUE"]`, or none."""
    found = _OPTIONS.search(accept)
    try:
        return shlex.split(found[1]) if found else []
    except ValueError:  # A name with a backtick: nobody can tell the command from the rest.
        return []


def combine_options(findings: Sequence[Finding]) -> list[str]:
    """Returns the arguments that accept these findings and no other ones.

    Empty if one option is enough, or if a finding has none.
    """
    each = [find_options(accept) for accept in group_by_acceptance(findings)]
    return [option for options in each for option in options] if len(each) > 1 and all(each) else []


def can_accept_all(checked: DataChecked) -> bool:
    """Whether findings come from a comparison with the served model's data."""
    against = [finding.against for finding in checked.findings]
    return any(text.startswith(_SERVED) for text in against)


def warn_about(checked: DataChecked | None) -> tuple[str, ...]:
    """Returns a sentence, without its full stop, about a gate that did not compare."""
    if checked is None or checked.checked_against != NO_REFERENCE:
        return ()
    return (
        "The gate did not compare the data with the served model's data, because "
        "`schema.reference` is none: it could find no drift, no new category and no rise of "
        "missing values",
    )
