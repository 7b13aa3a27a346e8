"""Flink's REST API, which is at the address of Flink's page.

Beam's job server knows neither the id that Flink gives a job nor, after a kill, that the job lives.
https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

_SECONDS = 5.0
"""For one answer: a JobManager that is alive answers within milliseconds."""
_ENDED = ("FINISHED", "FAILED", "CANCELED")
_POLL_SECONDS = 0.2
_LISTED_SECONDS = 3.0
"""Until the page lists a job: the job server takes a second or two to translate the pipeline."""


@dataclass(frozen=True)
class Overview:
    """What a cluster is."""

    version: str
    slots: int
    """All slots, also those that other jobs have."""


class FlinkPage:
    """One cluster. Each method raises OSError if the page does not answer as Flink does."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")

    def read_overview(self) -> Overview:
        """Returns the version and the slots of the cluster."""
        answer = self._ask("/overview")
        try:
            return Overview(str(answer["flink-version"]), int(answer["slots-total"]))
        except (KeyError, TypeError, ValueError) as error:
            raise OSError("the answer is not Flink's") from error

    def find_job(self, name: str) -> str | None:
        """Returns the id of the newest job with this name, or None."""
        jobs = [job for job in self._list_jobs() if job["name"] == name]
        newest = max(jobs, key=lambda job: job["start-time"], default=None)
        return str(newest["jid"]) if newest else None

    def count_tasks(self, job: str) -> tuple[int, int] | None:
        """Returns the ended tasks and all tasks of a job; None if there is no such job."""
        for listed in self._list_jobs():
            if listed["jid"] == job and "tasks" in listed:
                return int(listed["tasks"]["finished"]), int(listed["tasks"]["total"])
        return None

    def describe(self, job: str) -> str:
        """Returns the address of a job's own page."""
        return f"{self._address}/#/job/running/{job}/overview"

    def read_failure(self, job: str) -> str:
        """Returns the last exception of a job with its trace; empty if there was none."""
        answer = self._ask(f"/jobs/{job}/exceptions")
        entries = answer.get("exceptionHistory", {}).get("entries", [])
        latest = entries[0].get("stacktrace") if entries else None
        return str(latest or answer.get("root-exception") or "")

    def cancel(self, name: str, seconds: float) -> bool:
        """Cancels the jobs with this name; returns whether none of them lives after `seconds`.

        The page may not list a job that was submitted a moment ago. So a job that the page never
        listed is looked for again, for some seconds.
        """
        started = time.monotonic()
        asked: set[str] = set()
        while True:
            jobs = [job for job in self._list_jobs() if job["name"] == name]
            alive = {str(job["jid"]) for job in jobs if job["state"] not in _ENDED}
            waited = time.monotonic() - started
            if not alive and (jobs or waited > _LISTED_SECONDS):
                return True
            if waited > seconds:
                return False
            for job in alive - asked:
                self._ask(f"/jobs/{job}?mode=cancel", "PATCH")
            asked |= alive
            time.sleep(_POLL_SECONDS)

    def _list_jobs(self) -> list[dict[str, Any]]:
        jobs: list[dict[str, Any]] = self._ask("/jobs/overview").get("jobs", [])
        return jobs

    def _ask(self, path: str, method: str = "GET") -> dict[str, Any]:
        request = urllib.request.Request(f"{self._address}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as response:
                answer = json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise OSError(f"it answers {error.code} to {method} {path}") from error
        except ValueError as error:
            raise OSError("the answer is not Flink's") from error
        if not isinstance(answer, dict):
            raise OSError("the answer is not Flink's")
        return answer
