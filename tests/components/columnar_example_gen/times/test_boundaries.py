"""A split by time finds its boundaries in all formats of times."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.columnar_example_gen.times import tally
from components.columnar_example_gen.times.boundaries import (
    TimeQuestion,
    TimeSurvey,
    build_time_splitter,
    list_readings,
    survey_times,
)
from components.tables.splitting.splits import TimeSplitter
from components.tables.typed_table import TypedTable, infer_types
from pipeline.config import DataConfig, SplitConfig
from pipeline.core.errors import DataError

BY_TIME = SplitConfig(by="time", column="t", train=0.6, eval=0.2, test=0.2)


def table(path: Path, split: SplitConfig = BY_TIME) -> TypedTable:
    data = DataConfig(path=(str(path),), split=split)
    return TypedTable([path], data, {}, infer_types([path], data, ["t", "y"]))


def assign(source: TypedTable, splitter: TimeSplitter) -> list[int]:
    return [n for block in source.blocks() for n in splitter.assign(block.batch).tolist()]


def test_the_configured_format_decides_where_two_formats_fit(write) -> None:
    # Days of three months. Read month first, they would be three days of each of twelve months.
    dates = [f"{day:02}/{month:02}/2026" for month in (1, 2, 3) for day in range(1, 13)]
    path = write("t.csv", "\n".join(["t,y", *(f"{date},1" for date in dates)]) + "\n")
    thirds = dict.fromkeys(("train", "eval", "test"), 1 / 3)
    split = BY_TIME.model_copy(update={"time_format": "day_first", **thirds})
    source = table(path, split)
    splitter = build_time_splitter(source, "t", "y")
    found = assign(source, splitter)
    assert found == [0] * 12 + [1] * 12 + [2] * 12


def splits(write, times: Sequence[object], labels: Sequence[object] | None = None) -> list[int]:
    lines = [f"{t},{y}" for t, y in zip(times, labels or [1] * len(times), strict=True)]
    source = table(write("t.csv", "\n".join(["t,y", *lines]) + "\n"))
    splitter = build_time_splitter(source, "t", "y")
    return assign(source, splitter)


@pytest.mark.parametrize(
    "times",
    [
        [1, 2, 3, 4, 5],
        [1.5, 2.5, 10.25, 100, 1000],
        ["2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01", "2027-01-01"],
        "2026-01-01T00:00:00,2026-01-01 00:00:01,2026-01-01T00:00:01.5,2026-01-02,"
        "2027-01-01".split(","),
        "2026-01-01T02:00:00+02:00,2026-01-01T01:00Z,2026-01-01T01:00:00-0100,2026-01-01T03:00Z,"
        "2026-01-01T04:00Z".split(","),
        "12/31/2025 11:59:59 PM,01/01/2026 12:00:00 AM,1/1/2026 1:00 AM,01/01/2026 12:30 PM,"
        "02/01/2026".split(","),
        ["31.12.2025 23:59", "01.01.2026 00:00", "1.2.2026", "2.2.2026 7:05", "01.03.2026"],
        ["31/12/2025", "01/01/2026", "10/01/2026", "01/02/2026", "01/03/2026"],
    ],
    ids=["int", "float", "date", "iso", "zones", "month first", "day first", "day first, slashes"],
)  # fmt: skip
def test_the_latest_rows_go_to_test(write, times):
    assert splits(write, times) == [0, 0, 0, 1, 2]
    assert splits(write, times[::-1]) == [2, 1, 0, 0, 0]


def test_dates_that_fit_both_formats_are_read_month_first(write):
    times = ["01/05/2026", "02/04/2026", "03/03/2026", "04/02/2026", "05/01/2026"]
    assert splits(write, times) == [0, 0, 0, 1, 2]


def test_rows_with_equal_times_share_a_split(write):
    assert splits(write, [1, 1, 1, 1, 1, 1, 1, 1, 2, 3]) == [0] * 8 + [1, 2]
    assert splits(write, [1, 2, 3, 3, 3, 3, 3, 3, 3, 3]) == [0, 1] + [2] * 8


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.integers(0, 30), min_size=3).filter(lambda times: len(set(times)) >= 3))
def test_no_split_is_empty_and_no_two_splits_overlap(write, times):
    found = splits(write, times)
    assert set(found) == {0, 1, 2}
    spans = [[t for t, s in zip(times, found, strict=True) if s == n] for n in range(3)]
    assert max(spans[0]) < min(spans[1]) <= max(spans[1]) < min(spans[2])


def test_rows_without_a_label_do_not_move_the_boundaries(write):
    labels = [1] * 5 + [""] * 20
    assert splits(write, [1, 2, 3, 4, 5] + [6] * 20, labels)[:5] == [0, 0, 0, 1, 2]


def test_rows_without_a_time_go_to_train(write):
    assert splits(write, [1, 2, 3, 4, 5, ""]) == [0, 0, 0, 1, 2, 0]


def test_merging_times_on_the_way_does_not_move_the_boundaries(write, monkeypatch):
    times = np.random.default_rng(0).permutation(1000) // 2
    expected = splits(write, times)
    monkeypatch.setattr(tally, "_MERGE_AT", 10)
    monkeypatch.setattr("components.tables.csv_file.BLOCK_BYTES", 64)
    assert splits(write, times) == expected
    assert np.bincount(expected).tolist() == [600, 200, 200]


@pytest.mark.parametrize("form", ["{0}", "{0}.25", "2026-{1:02}-{2:02}", "{2}/{1}/2026"])
def test_few_cells_of_times_are_counted_again_until_the_boundaries_are_exact(write, form):
    numbers = np.random.default_rng(1).permutation(336)
    # All rows without a label are late: counted, they would move both boundaries.
    rows = [(form.format(n, n // 28 + 1, n % 28 + 1), "" if n > 250 else 1) for n in numbers]
    source = table(write("t.csv", "\n".join(["t,y", *(f"{t},{y}" for t, y in rows)]) + "\n"))
    questions = []

    def survey(table, question):
        questions.append(question)
        return survey_times(table, question, most=20)

    coarse = build_time_splitter(source, "t", "y", survey)
    exact = build_time_splitter(source, "t", "y")
    assert assign(source, coarse) == assign(source, exact)
    assert len(questions) > 1
    assert all(len(again.readings) == 1 for again in questions[1:])


@pytest.fixture
def survey_parts(write):
    """Surveys the days of each file with a label; the first survey is that of all files."""

    def survey(*parts: Sequence[str]) -> list[TimeSurvey]:
        paths = [
            write(f"{n}.csv", "\n".join(["t,y", *rows]) + "\n") for n, rows in enumerate(parts)
        ]
        data = DataConfig(path=("*.csv",), split=BY_TIME)
        types = {"t": "string", "y": "int"}
        whole = TypedTable(paths, data, {}, types)
        question = TimeQuestion("t", "y", tuple(range(len(list_readings(whole, "t")))))
        each = [TypedTable([path], data, {}, types) for path in paths]
        return [
            survey_times(whole, question),
            *(survey_times(table, question, part) for part, table in enumerate(each)),
        ]

    return survey


def list_cells(survey: TimeSurvey) -> dict[int, tuple[list[int], list[int]]]:
    return {n: (cells.starts.tolist(), cells.rows.tolist()) for n, cells in survey.cells.items()}


def test_surveys_of_parts_merge_to_the_survey_of_the_table(survey_parts):
    # The first file can be read day first or month first, the second one only day first.
    whole, one, other = survey_parts(
        ["01/02/2026,1", "03/02/2026,1"], ["03/02/2026,1", "13/02/2026,1", "14/02/2026,"]
    )
    assert len(one.cells) > len(other.cells) == 1
    for merged in (one.merge(other, most=100), other.merge(one, most=100)):
        assert list_cells(merged) == list_cells(whole)
        assert merged.find_misfit() is None
    [cells] = one.merge(other, most=2).cells.values()
    assert cells.rows.tolist() == [3, 1]


def test_of_misfits_in_two_parts_the_one_in_the_earlier_part_is_told(survey_parts):
    whole, one, two, three = survey_parts(["13/02/2026,1"], ["14/02/2026,1", "soon,1"], ["later,1"])
    assert whole.find_misfit().cell == "'soon'"
    for merged in (
        one.merge(two, 9).merge(three, 9),
        three.merge(two, 9).merge(one, 9),
        one.merge(three, 9).merge(two, 9),
    ):
        misfit = merged.find_misfit()
        assert (misfit.part, misfit.block, misfit.row, misfit.cell) == (1, 0, 1, "'soon'")


@pytest.mark.parametrize(
    ("times", "bad"),
    [
        (["2026-01-01", "2026-02-30"], "2026-02-30"),
        (["2026-01-01", "soon"], "soon"),
        (["13/01/2026", "01/13/2026"], "01/13/2026"),
        (["01.01.2026", "2026-01-01"], "2026-01-01"),
        (["2026-01-01 24:00"], "2026-01-01 24:00"),
    ],
)
def test_a_cell_that_is_no_time_is_refused_with_its_line(write, times, bad):
    with pytest.raises(DataError, match=rf"t\.csv:{len(times) + 1}: column 't': '{bad}'"):
        splits(write, times)


@pytest.mark.parametrize("times", [[1, 1, 2, 2], ["", ""]])
def test_fewer_than_three_distinct_times_are_refused(write, times):
    with pytest.raises(
        DataError, match=r"data\.split\.column: .* three distinct times.*'t' has [02]"
    ):
        splits(write, times)


def test_times_without_an_offset_are_ordered_by_the_instants_of_their_zone(write) -> None:
    times = "2026-07-01T12:00,2026-07-01T11:00Z,2026-07-01T14:00,2026-07-01T13:00Z,2026-07-01T16:00"
    path = write("t.csv", "\n".join(["t,y", *(f"{t},1" for t in times.split(","))]) + "\n")

    def assigned(zone: str | None) -> list[int]:
        source = table(path, BY_TIME.model_copy(update={"time_zone": zone}))
        splitter = build_time_splitter(source, "t", "y")
        return assign(source, splitter)

    # In Berlin, 12:00 is 10:00 UTC, 14:00 is 12:00 UTC, and 16:00 is 14:00 UTC.
    assert assigned("Europe/Berlin") == [0, 0, 0, 1, 2]
    assert assigned(None) == [0, 0, 1, 0, 2]
    with pytest.raises(DataError, match=":3: column 't': '2026-07-01T11:00Z'") as caught:
        assigned("none")
    assert caught.value.hint.endswith(", without an offset from UTC")
