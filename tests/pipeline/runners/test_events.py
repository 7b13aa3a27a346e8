"""Events survive several writers and late readers; the summary settles what they leave open."""

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.event_reader import EventReader
from pipeline.core.events import emit
from pipeline.terminal.summary import Summary


def emit_many(writer: int) -> None:
    for number in range(200):
        emit("progress", writer=writer, number=number, text="x" * 300)


def test_lines_of_several_processes_do_not_mix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    monkeypatch.setenv(EVENTS_VARIABLE, str(path))
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(emit_many, range(2)))
    events = EventReader(path).read()
    assert sorted((e["writer"], e["number"]) for e in events) == [
        (writer, number) for writer in range(2) for number in range(200)
    ]


def test_a_reader_waits_for_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    reader = EventReader(path)
    assert reader.read() == []
    with path.open("a", encoding="utf-8") as file:
        file.write('{"event": "a"}\n{"eve')
        file.flush()
        assert reader.read() == [{"event": "a"}]
        file.write('nt": "b"}\n')
    assert reader.read() == [{"event": "b"}]
    assert reader.read() == []


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EVENTS_VARIABLE, raising=False)
    emit("component", name="Trainer")


def test_a_summary_of_a_good_run() -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.add({"event": "component", "name": "Trainer", "state": "running"})
    summary.add({"event": "component", "name": "Trainer", "state": "cached", "seconds": 0.1})
    summary.add({"event": "end", "exit_code": 0, "blessed": True, "pushed": "serving/1"})
    summary.finish(0)
    assert [(c.name, c.state, c.cached) for c in summary.components] == [
        ("Trainer", "cached", True)
    ]
    assert (summary.status, summary.pushed) == ("pushed", "serving/1")
    assert json.loads(summary.to_json())["exit_code"] == 0


@pytest.mark.parametrize(("code", "words"), [(-9, "by signal 9"), (1, "with code 1")])
def test_a_process_that_died_without_a_word_has_failed(code: int, words: str) -> None:
    summary = Summary("taxi", "1", "run.log")
    summary.finish(code)
    assert (summary.exit_code, summary.status) == (1, "failed")
    assert summary.error is not None
    assert words in summary.error["message"]


def test_a_line_that_a_full_disk_cut_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"event": "a"}\n{"event": "b", "na{"event": "c"}\n{"event": "d"}\n')
    assert EventReader(path).read() == [{"event": "a"}, {"event": "d"}]


def test_an_event_that_cannot_be_written_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EVENTS_VARIABLE, "/dev/full")
    assert not emit("end", exit_code=1)
