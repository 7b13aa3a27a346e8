"""The table of components fits on a terminal of any size, and its seconds tick."""

import pytest
from recorded_run import COMPONENTS, EVENTS, UNTIL_EPOCH_2, render_table

from pipeline.core.events import ComponentChanged, Envelope, JobProgressed, JobStarted


def test_before_the_first_component_the_table_says_that_tensorflow_is_loading() -> None:
    assert render_table([], 80, now=7.4) == ["loading TensorFlow ... 7 s"]


def test_all_components_are_in_the_table_from_the_start() -> None:
    shown = render_table(EVENTS[:1], 80)
    assert [line.split()[:2] for line in shown[1:]] == [[name, "waiting"] for name in COMPONENTS]
    assert len(COMPONENTS) == 13


def test_the_seconds_of_the_running_component_tick() -> None:
    shown = [render_table(EVENTS[:2], 80, now=now)[1].split() for now in (0, 12.7, 65, 3725)]
    times = [["0", "s"], ["12", "s"], ["1:05"], ["1:02:05"]]
    assert shown == [["ExampleGen", "running", *time] for time in times]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("count", [1, 2, UNTIL_EPOCH_2, len(EVENTS)])
def test_no_width_wraps_a_line(width: int, count: int) -> None:
    shown = render_table(EVENTS[:count], width)
    assert all(len(line) <= width and line == line.rstrip() for line in shown)
    assert [line.split()[0] for line in shown[1 : len(COMPONENTS) + 1]] == list(COMPONENTS)
    assert len(shown) <= len(COMPONENTS) + 2


def test_narrow_terminals_lose_the_rows_first_and_then_the_seconds() -> None:
    def first(width: int) -> str:
        return " ".join(render_table(EVENTS, width)[1].split())

    assert first(80) == "ExampleGen done 0.8 s 12,006 train, 1,468 eval, 1,526 test"
    assert first(60) == "ExampleGen done 0.8 s 15,000"
    assert first(40) == "ExampleGen done 0.8 s"
    assert first(30) == "ExampleGen done"


def test_training_stands_in_its_row_or_below_a_narrow_table() -> None:
    training = EVENTS[:UNTIL_EPOCH_2]
    row = next(line for line in render_table(training, 200) if line.startswith("Trainer"))
    assert "ETA 6 s" in row
    assert "eval loss 0.4510" in row, "the loss of the epoch before stays"
    assert render_table(training, 40)[-1] == "epoch 2 of 12  loss 0.4196  ETA 6 s"


def test_a_low_screen_shows_the_running_component() -> None:
    for count in range(2, len(EVENTS)):
        running = [e.event.name for e in EVENTS[:count] if isinstance(e.event, ComponentChanged)][
            -1
        ]
        shown = render_table(EVENTS[:count], 80, height=10)
        assert len(shown) < 10
        assert any(line.startswith(running) for line in shown)


def test_the_row_of_a_component_shows_its_job_and_how_far_the_job_is() -> None:
    job = Envelope(JobStarted("flink", "taxi-examplegen-1b63005c", "http://localhost:8081"))
    progress = Envelope(JobProgressed("taxi-examplegen-1b63005c", 3, 14))
    shown = [render_table([*EVENTS[:2], *events], 100)[1] for events in ([job], [job, progress])]
    assert shown[0].endswith("on flink, job taxi-examplegen-1b63005c")
    assert shown[1].endswith("on flink: 3 of 14 tasks, job taxi-examplegen-1b63005c")
    assert "on flink: 3 of 14 tasks" in render_table([*EVENTS[:2], job, progress], 64)[1]
