"""How large the share of missing values of a column may become before the gate speaks.

Imports no TFDV: the command line judges the data of two runs by the same rule.
"""

from __future__ import annotations

from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.distributions.noise import FALSE_ALARMS, share_noise


def find_missing_limit(
    now: ColumnSummary, before: ColumnSummary, tolerated: float, columns: int
) -> float:
    """Returns the greatest allowed share of missing values, perhaps above 1.

    Args:
      now: the column, over all splits.
      before: the column in the data that it is compared with; it must have rows.
      tolerated: `validation.missing_values_rise`.
      columns: the number of columns that are compared.
    """
    pooled = (now.missing + before.missing) / (now.rows + before.rows)
    noise = share_noise([pooled], now.rows, before.rows, FALSE_ALARMS / max(1, columns))
    return before.missing_share + tolerated + noise
