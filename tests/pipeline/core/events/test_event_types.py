"""A line of JSON is recognised as the event that it describes."""

import json
from pathlib import Path

import pytest

from pipeline.core.events import Event, EventReader, SearchResumed, TrainingResumed
from pipeline.core.events.event_types import EVENT_TYPES, DataChecked, RunEnded

RECORDED = Path(__file__).parents[2] / "terminal/taxi_events.jsonl"


def types_of(content: dict[str, object]) -> list[type[Event]]:
    return [event_type for event_type in EVENT_TYPES if event_type.is_described_by(content)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"event": "resumed", "component": "Tuner", "trials": 2}, [SearchResumed]),
        ({"event": "resumed", "component": "Trainer", "epoch": 3, "step": 0}, [TrainingResumed]),
        ({"event": "resumed", "component": "Trainer", "epoch": 3}, []),
        ({"event": "end", "exit_code": 0}, [RunEnded]),
        ({"event": "end"}, []),
    ],
)
def test_an_event_is_described_by_its_kind_and_all_required_fields(
    content: dict[str, object], expected: list[type[Event]]
) -> None:
    assert types_of(content) == expected


def test_every_line_of_a_recorded_run_describes_exactly_one_event() -> None:
    lines = RECORDED.read_text().splitlines()
    assert all(len(types_of(json.loads(line))) == 1 for line in lines)
    assert len(EventReader(RECORDED).read()) == len(lines)


def read(directory: Path, content: dict[str, object]) -> Event:
    """Returns the event of a line, as a reader gets it."""
    path = directory / "events.jsonl"
    path.write_text(json.dumps(content) + "\n")
    return EventReader(path).read()[0].event


def test_the_outcome_of_an_earlier_version_can_be_read(tmp_path: Path) -> None:
    content = {"event": "end", "exit_code": 0, "tuning": {}, "pushed": None, "missed": ["x"]}
    assert read(tmp_path, content) == RunEnded(0, missed=("x",))


def test_findings_are_made_of_their_table(tmp_path: Path) -> None:
    finding = dict.fromkeys(("column", "kind", "problem", "expected", "found", "accept"), "x")
    finding |= {"severity": "warn", "splits": ["train"], "examples": [], "against": "y"}
    content = {"event": "findings", "checked_against": "itself", "findings": [finding]}
    checked = read(tmp_path, content)
    assert isinstance(checked, DataChecked)
    assert (checked.findings[0].splits, checked.findings[0].examples) == (("train",), ())
