"""Jobs on a real job server: shown, cancelled with the run, and explained when they fail."""

import os
import signal
import threading
import time
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from flink_answers import answering, make_job
from worker_functions import refuse, write_and_sleep

from components.engine.runner import EngineOptions, EngineResult, _Job
from pipeline.config import load_config
from pipeline.config.engine.beam_flags import list_own_flags, list_shared_flags
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.errors import DataError
from pipeline.core.events import Event, EventReader, JobProgressed, JobStarted

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


def make_flags(engine: list[str]) -> list[str]:
    config = load_config([TAXI], [*engine, "data.path=/mnt/*.csv"])
    return [*list_shared_flags(config), *list_own_flags(config, "Transform")]


@pytest.mark.slow
def test_a_refusal_in_a_worker_arrives_and_its_job_is_shown(
    engine: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EVENTS_VARIABLE, str(tmp_path / "events.jsonl"))
    with (
        pytest.raises(DataError, match=r"^row 7: no number$"),
        beam.Pipeline(options=PipelineOptions(make_flags(engine))) as pipeline,
    ):
        _ = pipeline | beam.Create([7]) | beam.Map(refuse)
    [job] = [envelope.event for envelope in EventReader(tmp_path / "events.jsonl").read()]
    assert isinstance(job, JobStarted)
    assert (job.engine, job.page) == ("spark", "")
    assert job.name.startswith("taxi-transform-")


@pytest.mark.slow
def test_an_interruption_cancels_the_job(engine: list[str], tmp_path: Path) -> None:
    at_work = tmp_path / "at-work"

    def interrupt() -> None:
        while not at_work.exists():
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    pipeline = beam.Pipeline(options=PipelineOptions(make_flags(engine)))
    _ = pipeline | beam.Create([str(at_work)]) | beam.Map(write_and_sleep)
    result = pipeline.run()
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        result.wait_until_finish()
    assert result.state == "CANCELLED"


def test_the_tasks_of_a_job_are_counted_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EVENTS_VARIABLE, str(tmp_path / "events.jsonl"))
    monkeypatch.setattr("components.engine.runner._PROGRESS_SECONDS", 0.02)
    reader = EventReader(tmp_path / "events.jsonl")
    listed = make_job("a", "taxi-transform-1") | {"tasks": {"finished": 2, "total": 14}}
    with answering({"/jobs/overview": {"jobs": [listed]}}) as page:
        options = EngineOptions(["--engine_kind=flink", f"--engine_page={page}"])
        with _Job("taxi-transform-1", options).announced():
            assert wait_for_events(reader, 2) == [
                JobStarted("flink", "taxi-transform-1", f"{page}/#/job/running/a/overview"),
                JobProgressed("taxi-transform-1", 2, 14),
            ]
            listed["tasks"]["finished"] = 9
            assert wait_for_events(reader, 1) == [JobProgressed("taxi-transform-1", 9, 14)]
    assert reader.read() == []


def wait_for_events(reader: EventReader, count: int) -> list[Event]:
    """Returns the next events as soon as there are so many."""
    events: list[Event] = []
    deadline = time.monotonic() + 60
    while len(events) < count and time.monotonic() < deadline:
        events += [envelope.event for envelope in reader.read()]
        time.sleep(0.05)
    return events


def test_flink_cancels_a_job_although_the_job_server_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("components.engine.runner._JOB_SERVER_SECONDS", 0.1)
    jobs = [make_job("a", "taxi-transform-1")]
    asked: list[str] = []
    with answering({"/jobs/overview": {"jobs": jobs}}, asked) as page:
        options = EngineOptions(["--engine_kind=flink", f"--engine_page={page}"])
        EngineResult(_Job("taxi-transform-1", options), HungJob()).cancel()
    assert asked == ["/jobs/a?mode=cancel"]


class HungJob:
    """A job whose job server takes calls and never answers."""

    def cancel(self) -> None:
        threading.Event().wait()
