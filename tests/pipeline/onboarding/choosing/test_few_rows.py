"""Categories with few rows a value stay only where a trial speaks for them, or alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipeline.config import Feature
from pipeline.config.sections.features import Categorical, Hashed, Numeric
from pipeline.onboarding.choosing.few_rows import leave_out_untried, soften
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.feature_choice import FeatureChoice
from pipeline.onboarding.reading.columns import Column


def make_column(to_columns: Callable[..., dict[str, Column]], cells: list[str]) -> Column:
    return to_columns({"tag": cells, "y": ["no"] * len(cells)})["tag"]


def make_choice(feature: Feature) -> FeatureChoice:
    return FeatureChoice(Guess(feature, "text"))


@pytest.mark.parametrize(
    ("feature", "width"),
    [
        (Hashed(buckets=4096), 1),
        (Categorical(), 1),
        (Categorical(min_count=2, embedding_dimension=1), 1),
        (Categorical(min_count=5), None),
    ],
)
def test_values_of_few_rows_get_one_number_unless_they_are_merged(to_columns, feature, width):
    column = make_column(to_columns, [f"v{i // 3}" for i in range(600)])
    softened = soften(make_choice(feature), column)
    assert softened.feature.value == feature.model_copy(update={"embedding_dimension": width})
    frequent = make_column(to_columns, [f"v{i // 6}" for i in range(1200)])
    assert soften(make_choice(feature), frequent).feature.value == feature


def test_untried_columns_are_left_out_beside_others_with_the_way_to_keep_them(to_columns):
    choices = {"tag": make_choice(Hashed(buckets=4096)), "x": make_choice(Numeric())}
    columns = {"tag": make_column(to_columns, [f"v{i // 3}" for i in range(600)])}
    settled = leave_out_untried(choices, columns, "no time")
    assert settled["tag"].feature is None
    assert settled["tag"].why_not == (
        "3.0 rows per value, and no time; to keep it, set "
        "{kind: hashed, buckets: 4096, embedding_dimension: 1}"
    )
    assert settled["x"] == choices["x"]


@pytest.mark.parametrize(("rows", "is_kept"), [(3, True), (1, False)])
def test_alone_a_column_is_kept_if_its_values_repeat(to_columns, rows, is_kept):
    column = make_column(to_columns, [f"v{i // rows}" for i in range(600)])
    settled = leave_out_untried({"tag": make_choice(Categorical())}, {"tag": column}, "no time")
    assert bool(settled["tag"].feature) == is_kept
