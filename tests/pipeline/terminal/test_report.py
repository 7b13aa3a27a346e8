"""The report at the end of a run, and the list of past runs."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipeline.config import Config
from pipeline.core.events import DagFailure, DataChecked, Failure, Finding, ServingCheckResult
from pipeline.terminal.report import describe_removed, print_report
from pipeline.terminal.summary import RemovedRuns, Summary

BOUNDS = [{"metric": "recall", "at_least": 0.4}]
LABEL = {"task": "binary", "classes": ["no", "yes"]}


def make_config(label: dict) -> Config:
    return Config.model_validate(
        {
            "name": "cuts",
            "data": {"path": "cuts.csv"},
            "label": {"column": "cut", **label},
            "features": {"x": {"kind": "numeric"}},
            "evaluation": {"thresholds": BOUNDS},
        }
    )


def report(summary: Summary, config: Config, width: int = 120) -> str:
    """Everything that is printed about a run."""
    console = Console(file=io.StringIO(), width=width)
    print_report(summary, config, console)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("error", "first_line"),
    [
        (Failure("interrupted", ""), "Error: interrupted"),
        (DagFailure("no rows", "add some", component="Trainer"), "Error: Trainer: no rows"),
    ],
)
def test_a_failed_run_prints_cause_hint_and_log(error: Failure, first_line: str) -> None:
    summary = Summary("cuts", "1", "run.log", exit_code=1, status="failed", error=error)
    printed = report(summary, make_config(LABEL)).splitlines()
    assert printed == [first_line, *([f"  {error.hint}"] if error.hint else []), "Log: run.log"]


@pytest.mark.parametrize("width", [60, 120])
def test_findings_show_values_and_the_command_that_accepts_them(width: int) -> None:
    accept = "add '\x1b[2J' to schema.pbtxt"
    finding = Finding(
        "fare", "new_category", "stop", ("train",), "new values", "a", "b", ("x", "y"), accept, ""
    )
    summary = Summary("cuts", "1", "log", findings=DataChecked("the schema in git", (finding,)))
    printed = report(summary, make_config(LABEL), width)
    assert printed.startswith("Data compared with the schema in git:")
    for words in ("fare", "new values", "x, y", r"add '\x1b[2J' to schema.pbtxt"):
        assert words in printed


def test_each_way_to_accept_findings_stands_once_with_the_columns_that_it_settles() -> None:
    drift = [
        Finding(column, "drift", "stop", ("train",), "drifts", "a", "b", (), "--set x=1", "")
        for column in ("fare", "company")
    ]
    few = Finding(
        None, "too_few_examples", "stop", ("train",), "few", "9", "3", (), "--set y=2", ""
    )
    summary = Summary("cuts", "1", "log", findings=DataChecked("the schema", (*drift, few)))
    printed = report(summary, make_config(LABEL)).splitlines()
    at = printed.index("If the new data is correct:")
    assert printed[at + 1 : at + 3] == [
        "  fare, company: --set x=1",
        "  too few examples: --set y=2",
    ]


def test_warnings_are_printed_on_a_line_each() -> None:
    warnings = ("auc declines: 0.8 now", "the gap of auc is not judged")
    printed = report(Summary("taxi", "1", "log", warnings=warnings), make_config(LABEL))
    assert printed.splitlines()[-2:] == [f"Warning: {sentence}." for sentence in warnings]


def test_what_retention_removed_is_one_line() -> None:
    removed = RemovedRuns(runs=1, artifacts=25, bytes=1_234_567)
    sentence = "Removed 1 old run, 25 artifacts: 1.2 MB are free again."
    assert describe_removed(removed) == sentence
    printed = report(Summary("taxi", "1", "log", removed=removed), make_config(LABEL))
    assert printed.splitlines()[-1] == sentence
    assert describe_removed(RemovedRuns()) == ""
    assert describe_removed(RemovedRuns(error="no right")) == "Old runs stay on the disk: no right"


def test_a_failed_serving_check_names_its_problems_as_text() -> None:
    check = ServingCheckResult(False, ("the process ended by SIGSEGV", "[red]\x1b"), 5, (), ())
    summary = Summary("cuts", "1", "log", exit_code=5, serving_check=check)
    text = report(summary, make_config(LABEL))
    assert "The serving check failed, and so nothing was pushed:" in text
    assert "  the process ended by SIGSEGV\n" in text
    assert "[red]\\x1b" in text


@pytest.mark.parametrize("recall", [0.3, float("nan")])
def test_a_model_that_missed_its_bounds_leads_to_bounds_that_it_meets(recall: float) -> None:
    summary = Summary("cuts", "1", "run.log", exit_code=4, metrics={"": {"recall": recall}})
    summary.missed = ["recall on the whole split is too low"]
    text = report(summary, make_config(LABEL))
    assert "Not blessed, and so not pushed:\n  recall on the whole split is too low" in text
    assert "The report shows the worst slices" in text
    assert "nothing is trained again" in text
    command = """--set 'evaluation.thresholds=[{"metric": "recall", "at_least": 0.3}]'"""
    assert (command in text) is (recall == 0.3)
    assert ("change the missed bounds" in text) is (recall != 0.3)
    assert "`promote` serves it" in text


def test_a_version_on_a_store_is_named_by_its_address() -> None:
    summary = Summary("cuts", "1", "log", exit_code=0, status="pushed", pushed="out/copy/17")
    config = make_config(LABEL)
    assert "Pushed: out/copy/17\n" in report(summary, config)
    serving = config.serving.model_copy(update={"directory": "s3://bucket/cuts"})
    stored = config.model_copy(update={"serving": serving})
    assert "Pushed: s3://bucket/cuts/17\n" in report(summary, stored)
