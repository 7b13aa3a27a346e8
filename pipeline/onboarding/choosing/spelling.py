"""Decides by trial whether the spelling of codes and names tells something about the label.

A value that hardly recurs is no category: the model would learn its few rows by heart. But codes
and names share parts, such as a prefix for the kind of a product. Boosted trees are fitted with the
n-grams of characters and without the column, and the loss on held-out rows decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.onboarding.choosing.few_rows import has_few_rows_a_value
from pipeline.onboarding.choosing.trials import explain_impossible, run_trial
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.baseline import Baseline
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.judging.text_columns import describe_distinctness
from pipeline.onboarding.judging.text_settings import propose_text
from pipeline.onboarding.reading.columns import Column

_MOST_TRIALS = 3
"""Bounds the time of tables with many codes."""
_CERTAIN = 4.0
"""Standard errors by which the n-grams must be better than nothing: most codes tell nothing."""


def read_spelling(
    baseline: Baseline, columns: Mapping[str, Column], choices: Mapping[str, FeatureChoice],
    ranked: Sequence[str], spelled: Sequence[str], outputs: int,
) -> dict[str, FeatureChoice]:  # fmt: skip
    """Returns the choices, with columns whose spelling tells something as texts.

    Args:
      baseline: the label and the folds.
      columns: all columns.
      choices: what was chosen so far.
      ranked: the features, the best first.
      spelled: the columns of codes and names.
      outputs: the number of the model's outputs.
    """
    settled = dict(choices)
    if explain_impossible(baseline):
        return settled
    left_out = (columns[n] for n in spelled if not choices[n].feature)
    for column in [c for c in left_out if has_few_rows_a_value(c)][:_MOST_TRIALS]:
        trial = run_trial(baseline, [column], ("nothing", "spelling"), columns, settled, ranked)
        if trial.is_better("spelling", "nothing", _CERTAIN):
            why = (
                f"{describe_distinctness(column)}, but parts of them recur, which was better than "
                f"leaving the column out in a trial ({trial.compare('spelling', 'nothing')})"
            )
            settled[column.name] = FeatureChoice(Guess(propose_text(column, outputs), why))
    return settled
