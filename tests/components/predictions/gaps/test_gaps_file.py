"""The gaps of an evaluation in a file and in words."""

from pathlib import Path

from components.predictions.estimates import Estimate, Gap
from components.predictions.gaps.gaps_file import (
    explain_gap,
    list_unjudged_gaps,
    read_gaps,
    write_gaps,
)

MISSED = Gap(
    "auc",
    ("city",),
    "city=Zürich",
    "city=(missing)",
    Estimate(0.2, 0.1512, 0.2488),
    0.1,
    passed=False,
    best_value=0.9,
    worst_value=0.7,
    best_examples=12_345,
    worst_examples=800,
)


def test_gaps_are_read_as_they_were_written_and_an_earlier_evaluation_has_none(
    tmp_path: Path,
) -> None:
    assert read_gaps(str(tmp_path)) == ()
    passed = Gap("auc", ("hour",), "", "", Estimate(None, None, None), 0.1, passed=True)
    write_gaps(str(tmp_path), [MISSED, passed])
    assert read_gaps(str(tmp_path)) == (MISSED, passed)


def test_a_gap_that_nobody_could_measure_is_told_with_the_slices_that_do_not_count(
    tmp_path: Path,
) -> None:
    left_out = tuple(f"city={n} has {n} of 30 needed rows" for n in range(4))
    nothing = Estimate(None, None, None)
    unjudged = Gap("auc", ("city",), "", "", nothing, 0.1, passed=True, left_out=left_out)
    write_gaps(str(tmp_path), [MISSED, unjudged])
    assert list_unjudged_gaps(str(tmp_path)) == [
        "the gap of auc between the slices of city is not judged, because fewer than two slices "
        "count: city=0 has 0 of 30 needed rows; city=1 has 1 of 30 needed rows; city=2 has 2 of 30 "
        "needed rows; and 1 more"
    ]


def test_a_gap_is_explained_with_slices_rows_interval_and_limit() -> None:
    assert explain_gap(MISSED) == (
        "auc is 0.9 on city=Zürich (12,345 rows) and 0.7 on city=(missing) (800 rows): "
        "the difference is 0.2 (95 % interval 0.1512 to 0.2488), at most 0.1 is allowed"
    )
