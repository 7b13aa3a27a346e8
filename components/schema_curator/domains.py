"""Chooses the text columns that get a domain, and the values of the domain.

A domain says that new values are rare. A column in which new values keep coming, such as names in a
short table, gets no domain: it would stop every later run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary

# TFDV writes these in place of values that are not UTF-8 or very long.
_PLACEHOLDERS = ("__BYTES_VALUE__", "__LARGE_BYTES__")


def choose_domain(
    column: str, inherited: Sequence[str] | None, known: ColumnSummary, rules: CurationRules
) -> list[str] | None:
    """Returns the domain of a text column that no person has curated, or None for no domain.

    Args:
      inherited: the domain in the schema of the served model. It is kept: a new value that was rare
        enough to be tolerated does not become a known value.
      known: the column in the data that new data is compared with.
    """
    if column == rules.label.column:
        return list(rules.label.classes) or None
    if not rules.is_closed(column):
        return None
    if inherited is not None and len(inherited) <= rules.max_domain:
        return list(inherited)
    if not known.values or known.is_cut_off or known.distinct > rules.max_domain:
        return None
    if any(value in _PLACEHOLDERS for value in known.values):
        return None
    if unseen_share(known.values) > (rules.column(column).new_category_share or 0.0):
        return None
    return sorted(known.values)


def unseen_share(values: Mapping[str, int]) -> float:
    """Returns an upper bound of the share of new values in further data of the same distribution.

    The bound is the Good-Turing estimate, which is the share of values seen exactly once, plus
    three of its standard errors (I. J. Good, "The population frequencies of species and the
    estimation of population parameters", Biometrika 1953; W. W. Esty, "A normal limit law for a
    nonparametric estimator of the coverage of a random sample", Annals of Statistics 1983).
    """
    seen = Counter(values.values())
    total = sum(values.values())
    variance = seen[1] * (1 - seen[1] / total) + 2 * seen[2]
    return min(1.0, (seen[1] + 3 * math.sqrt(variance)) / total)
