"""Which text columns get a domain, and of which values.

A domain is a promise that new values are rare. Made for a column whose values keep coming, such as
names in a short table, it would stop every later run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary

# What TFDV writes in place of values that are not UTF-8 or very long.
_PLACEHOLDERS = ("__BYTES_VALUE__", "__LARGE_BYTES__")


def choose_domain(
    column: str, inherited: Sequence[str] | None, known: ColumnSummary, rules: CurationRules
) -> list[str] | None:
    """The domain for a text column that no one curated.

    Args:
      inherited: its domain in the served model's schema, which is kept: a value that was rare
        enough to be tolerated has not thereby become a known one.
      known: the column in the data that new data is held against.
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
    if unseen_share(known.values) > rules.new_category_share:
        return None
    return sorted(known.values)


def unseen_share(values: Mapping[str, int]) -> float:
    """The share of values, in further data of the same kind, that are new: an upper bound.

    The Good-Turing estimate, which is the share of values seen exactly once, and three of its
    standard errors (I. J. Good, "The population frequencies of species and the estimation of
    population parameters", Biometrika 1953; W. W. Esty, "A normal limit law for a nonparametric
    estimator of the coverage of a random sample", Annals of Statistics 1983).
    """
    seen = Counter(values.values())
    total = sum(values.values())
    variance = seen[1] * (1 - seen[1] / total) + 2 * seen[2]
    return min(1.0, (seen[1] + 3 * math.sqrt(variance)) / total)
