"""A slow decline is told, chance is not."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from components.predictions.deciding_metrics import DecidingMetrics, write_deciding_metrics
from components.predictions.estimates import Estimate
from components.push_history.decline import _ordinal, list_declines
from components.push_history.history import note_push
from components.served_model.changes import Change
from components.served_model.pointer import write_pointer
from components.served_model.served_record import ServedRecord


def estimate(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half)


def measure(
    directory: Path, value: float, served: float, half: float, metric: str, allowed: float | None
) -> str:
    measured = DecidingMetrics(
        "test", 1000, {metric: allowed}, {metric: estimate(value, half)},
        {metric: estimate(served, half)},
    )  # fmt: skip
    directory.mkdir()
    write_deciding_metrics(str(directory), measured)
    return str(directory)


def declines(
    directory: Path,
    pushed: Sequence[float],
    now: float,
    *,
    served_now: float | None = None,
    half: float = 0.004,
    metric: str = "auc",
    allowed: float | None = 0.01,
    label: str = "{}",
    withdrawn: Sequence[str] = (),
) -> list[str]:
    """Pushes versions 1, 2, ... with these values, and lists what is told of one with `now`."""
    serving = str(directory)
    for number, value in enumerate(pushed, start=1):
        evaluation = measure(directory / f"e{number}", value, value, half, metric, allowed)
        record = ServedRecord(str(number), "m", evaluation, "s", "c", "{}", "d", f"r{number}")
        note_push(serving, record, f"2026-11-0{number}")
        (directory / str(number)).mkdir()
    last = replace(record, label=label)
    gone = dict.fromkeys(withdrawn, "")
    change = Change("rollback", last.version, last.run_key, "2026", withdrawn=gone)
    write_pointer(serving, last, change)
    served_now = pushed[-1] if served_now is None else served_now
    evaluation = measure(directory / "now", now, served_now, half, metric, allowed)
    return list_declines(evaluation, last.with_directory(serving))


def test_three_small_falls_that_add_up_are_told(tmp_path: Path) -> None:
    [sentence] = declines(tmp_path, [0.871, 0.862, 0.852], 0.842)
    assert sentence.startswith(
        "auc declines: 0.842 now, the third model in a row that is worse; 0.871 at version 1, the "
        "best of 3 pushes. That is worse by 0.029, while one push may lose 0.01."
    )
    assert "chance does not explain the difference" in sentence
    assert "`report --compare 1 RUN`, with this run's name as RUN, compares" in sentence


def test_a_fall_that_chance_explains_is_not_told(tmp_path: Path) -> None:
    assert declines(tmp_path, [0.871, 0.862, 0.852], 0.842, half=0.03) == []


def test_four_falls_in_a_row_are_told_although_each_may_be_chance(tmp_path: Path) -> None:
    [sentence] = declines(tmp_path, [0.871, 0.862, 0.852, 0.85], 0.842, half=0.03)
    assert "the fourth model in a row that is worse" in sentence
    assert "each fall alone may be chance" in sentence


def test_a_fall_that_one_push_may_lose_is_not_told(tmp_path: Path) -> None:
    assert declines(tmp_path, [0.871, 0.88], 0.871, half=0.001) == []


def test_the_first_successor_is_judged_by_the_threshold_alone(tmp_path: Path) -> None:
    assert declines(tmp_path, [0.871], 0.8) == []


def test_a_rising_error_is_a_decline(tmp_path: Path) -> None:
    [sentence] = declines(tmp_path, [2.0, 2.2], 2.5, half=0.05, metric="rmse", allowed=None)
    assert sentence.startswith("rmse declines: 2.5 now, the second model in a row")


def test_the_best_of_many_pushes_is_high_by_chance(tmp_path: Path) -> None:
    # Beyond two 95 % intervals (0.0057), but not beyond what the best of eight values reaches.
    pushed = [0.8, 0.801, 0.799, 0.8, 0.807, 0.8, 0.799, 0.8]
    assert declines(tmp_path, pushed, 0.8005, allowed=None) == []


@pytest.mark.parametrize("change", [{"label": '{"other": 1}'}, {"withdrawn": ["1"]}])
def test_pushes_of_other_labels_and_withdrawn_ones_do_not_count(
    tmp_path: Path, change: dict[str, str]
) -> None:
    assert declines(tmp_path, [0.95, 0.85], 0.848, **change) == []  # type: ignore[arg-type]


def test_a_served_model_that_is_worth_less_on_new_rows_is_told(tmp_path: Path) -> None:
    [sentence] = declines(tmp_path, [0.87], 0.869, served_now=0.8)
    assert sentence == (
        "the served model, version 1, has auc 0.8 on the rows of this run, and had 0.87 when it "
        "was pushed. The model is the same: the data or the labels have changed"
    )


def test_nothing_is_told_without_a_served_model_on_record(tmp_path: Path) -> None:
    evaluation = measure(tmp_path / "now", 0.8, 0.8, 0.01, "auc", None)
    assert list_declines(evaluation, None) == []
    unknown = ServedRecord("9", "m", "e", "s", "c", "{}", "d", "r", directory=str(tmp_path))
    assert list_declines(evaluation, unknown) == []
    assert list_declines(str(tmp_path), unknown) == []


def test_ordinals_are_english() -> None:
    assert [_ordinal(n) for n in (2, 3, 11, 22, 101)] == [
        "second",
        "third",
        "11th",
        "22nd",
        "101st",
    ]
