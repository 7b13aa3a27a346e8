"""Three questions are answered on the page of each run, whatever its ending."""

import shutil
from pathlib import Path

from recorded_runs import Recorded, unpack
from runs_for_pages import OUTPUT, RUN, make_run

from pipeline.report.content import Answer, ServedVersion
from pipeline.runners.reporting.gather import gather_report
from pipeline.runners.reporting.parts.answers import Cost, answer
from pipeline.runners.workspace.deletion import remove_logs


def texts(served: ServedVersion | None, cost: Cost | None = None) -> dict[str, str]:
    return {a.question: a.text for a in answer(make_run(), OUTPUT, served, cost)}


def answers_of(recorded: Recorded, kind: str) -> dict[str, Answer]:
    report = gather_report(recorded.workspace, recorded.names[kind])
    return {a.question: a for a in report.answers}


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert texts(None) == {}


def test_the_way_back_is_a_command() -> None:
    served = ServedVersion("17", "2026-11-23T05:00:00+00:00", "r", True, "16", earlier="16")
    found = texts(served)
    assert "rollback 16 --output out` serves version 16 again" in found["back"]
    assert found["maker"].startswith(
        "Run r made version 17. When this page was written, version 17 had been served since 23 "
        "November 2026, 05:00 UTC. "
    )
    assert "lineage served --output out`" in found["maker"]


def test_without_an_earlier_version_there_is_no_way_back() -> None:
    found = texts(ServedVersion("17", "", None, False, None, earlier=None))
    assert found["back"].startswith("No earlier version than 17")
    assert found["maker"].startswith(
        "A run that is no longer on record made version 17. When this page was written, version "
        "17 was served. "
    )


def test_the_cost_says_which_run_trained_last() -> None:
    this = texts(None, Cost(RUN, 61.0, 1200, 100.0))["cost"]
    assert this == (
        "The last training, in this run, took 1 min 1 s for 1,200 rows; "
        "that whole run took 1 min 40 s."
    )
    other = texts(None, Cost("other", 2.0, None, None))["cost"]
    assert other == "The last training, in run other, took 2.0 s for an unknown number of rows."


def test_stopped_and_cached_runs_answer_from_the_runs_before(recorded: Recorded) -> None:
    stopped = answers_of(recorded, "stopped")
    assert [*stopped] == ["maker", "back", "cost"]
    assert f"in run {recorded.names['retrained']}, took" in stopped["cost"].text
    made = f"Run {recorded.names['pushed again']} made version"
    assert stopped["maker"].text.startswith(made)
    cached = answers_of(recorded, "cached")
    assert f"in run {recorded.names['pushed']}, took" in cached["cost"].text
    assert "for 357 rows" in cached["cost"].text


def test_the_cost_of_a_model_whose_run_was_removed_is_in_its_artifacts(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    for kind, name in recorded.names.items():
        if kind != "cached":
            remove_logs(recorded.workspace.logs / name)
    report = gather_report(recorded.workspace, recorded.names["cached"])
    assert report.training
    assert (report.training.is_cached, report.training.cached_from) == (True, None)
    cost = answers_of(recorded, "cached")["cost"].text
    assert cost.endswith("for 357 rows.")
    shutil.rmtree(recorded.workspace.artifacts)
    assert "cost" not in answers_of(recorded, "cached")
