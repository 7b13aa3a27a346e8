"""Flink's REST API: a job is found by its name, and cancelled."""

import threading
import time

import pytest
from flink_answers import Answers, answering, make_job

from components.engine.flink_page import FlinkPage, Overview


def test_the_newest_job_with_the_name_is_found() -> None:
    jobs = [make_job("a", "taxi", start=1), make_job("b", "taxi", start=2), make_job("c", "other")]
    with answering({"/jobs/overview": {"jobs": jobs}}) as address:
        page = FlinkPage(f"{address}/")
        assert page.find_job("taxi") == "b"
        assert page.find_job("absent") is None
        assert page.describe("b") == f"{address}/#/job/running/b/overview"


def test_only_jobs_with_the_name_are_cancelled_and_only_while_they_live() -> None:
    jobs = [make_job("a", "taxi", "FINISHED"), make_job("b", "taxi"), make_job("c", "other")]
    asked: list[str] = []
    with answering({"/jobs/overview": {"jobs": jobs}}, asked) as address:
        assert FlinkPage(address).cancel("taxi", seconds=5)
    assert asked == ["/jobs/b?mode=cancel"]


def test_a_job_that_is_listed_only_after_its_cancellation_is_cancelled() -> None:
    """Flink lists a job a moment after the job server has taken the pipeline."""
    jobs: list[Answers] = []
    asked: list[str] = []
    with answering({"/jobs/overview": {"jobs": jobs}}, asked) as address:
        threading.Timer(0.7, jobs.append, [make_job("a", "taxi")]).start()
        assert FlinkPage(address).cancel("taxi", seconds=8)
    assert asked == ["/jobs/a?mode=cancel"]


def test_a_job_that_flink_never_got_is_not_awaited_for_long() -> None:
    with answering({"/jobs/overview": {"jobs": []}}) as address:
        started = time.monotonic()
        assert FlinkPage(address).cancel("taxi", seconds=60)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"exceptionHistory": {"entries": [{"stacktrace": "new"}, {"stacktrace": "old"}]}}, "new"),
        ({"root-exception": "old form"}, "old form"),
        ({"exceptionHistory": {"entries": []}}, ""),
    ],
)
def test_the_last_exception_of_a_job_is_read(answer: Answers, text: str) -> None:
    with answering({"/jobs/a/exceptions": answer}) as address:
        assert FlinkPage(address).read_failure("a") == text


def test_the_overview_has_version_and_slots() -> None:
    with answering({"/overview": {"flink-version": "1.19.0", "slots-total": 4}}) as address:
        assert FlinkPage(address).read_overview() == Overview("1.19.0", 4)


@pytest.mark.parametrize("answer", [{"slots-total": 4}, b"<html>", [1]])
def test_an_answer_that_is_not_flinks_is_an_os_error(answer: object) -> None:
    with answering({"/overview": answer}) as address, pytest.raises(OSError, match="Flink's"):
        FlinkPage(address).read_overview()
    with answering({}) as address, pytest.raises(OSError, match="answers 404"):
        FlinkPage(address).read_overview()
