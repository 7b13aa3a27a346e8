"""The log lines that report steps and events."""

from components.distributed_trainer.kubernetes.step_lines import (
    format_event_line,
    format_step_line,
    parse_event_line,
    parse_step_line,
)


def test_a_step_line_is_parsed_and_any_other_line_is_not() -> None:
    assert parse_step_line(format_step_line(120, 7)) == (120, 7)
    assert parse_step_line(format_step_line(-1, 0)) == (-1, 0)
    assert parse_step_line("[worker 0] " + format_step_line(1, 2)) is None


def test_an_event_line_is_parsed_and_any_other_line_is_not() -> None:
    assert parse_event_line(format_event_line(b'{"event": "training"}')) == '{"event": "training"}'
    assert parse_event_line(format_step_line(1, 2)) is None
