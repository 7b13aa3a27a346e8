"""The questions of a bad week, answered from a report alone, or by the runner."""

from __future__ import annotations

from dataclasses import replace

import example_reports as examples

from pipeline.report.answers import answer_questions
from pipeline.report.content import Answer, NextStep, Report, ServedModel


def answers(report: Report) -> dict[str, str]:
    return {line.answer.question: line.answer.text for line in answer_questions(report)}


def test_a_pushed_run_answers_what_it_can_in_one_order() -> None:
    found = answers(examples.pushed())
    assert list(found) == [
        "broken", "compared", "chance", "slice", "maker", "back", "looks", "cost",
    ]  # fmt: skip
    assert found["broken"].startswith("company: the distribution moved away")
    assert found["compared"] == (
        "The run compared the data with schema.pbtxt, and the model with served version "
        "1795323956 on the same rows."
    )
    assert found["chance"].startswith("auc is 0.8614, which is 0.0121 above the served model's")
    assert found["slice"].startswith("company=Flash Cab (40 rows): auc is 0.7000, against 0.8614")
    assert found["maker"] == "This run, from 1 data file."
    assert found["back"] == "Run `python -m pipeline rollback --config taxi.yaml`."
    assert found["looks"].startswith(
        "trip_miles most: if its values are shuffled among the rows, the log loss rises by 0.11"
    )
    assert found["cost"] == "The training took 41.5 s on 9,000 rows, of this run's 1 min 12 s."


def test_a_model_may_look_at_no_column_more_than_chance_explains() -> None:
    pushed = examples.pushed()
    assert pushed.quality is not None
    assert pushed.quality.figures is not None
    importance = tuple(
        replace(each, permuted=replace(each.permuted, low=-0.1))
        for each in pushed.quality.figures.importance
    )
    figures = replace(pushed.quality.figures, importance=importance)
    found = answers(replace(pushed, quality=replace(pushed.quality, figures=figures)))
    assert found["looks"].startswith(
        "no column clearly: if a column's values are shuffled among the rows, the log loss rises no"
    )


def test_a_stopped_run_looks_at_the_served_model_of_its_own_run() -> None:
    stopped = examples.gate_stop()
    assert "looks" not in answers(stopped)
    quality = examples.pushed().quality
    assert quality is not None
    assert quality.figures is not None
    served = ServedModel("1795323956", "20261122-051200-108311", quality.figures)
    found = answers(replace(stopped, served=served))
    assert found["looks"].startswith("The served model: trip_miles most")
    assert found["maker"] == "Run 20261122-051200-108311 made served version 1795323956."
    assert found["broken"].endswith("There is 1 more finding.")
    assert not {"chance", "slice", "cost"} & set(found)


def test_the_answers_of_the_runner_win_and_fill_what_the_report_cannot_know() -> None:
    given = (Answer("since", "Since 3 May 2026.", "data"), Answer("maker", "Nobody.", "lineage"))
    found = answers(replace(examples.pushed(), answers=given))
    assert (found["since"], found["maker"]) == ("Since 3 May 2026.", "Nobody.")
    assert list(found)[:2] == ["broken", "since"]


def test_a_run_that_came_nowhere_answers_nothing() -> None:
    assert answers(examples.interrupted()) == {}


def test_a_clean_table_and_a_slice_within_chance_are_told_as_such() -> None:
    report = examples.first_run()
    assert answers(report)["broken"] == "No column: the data gate found nothing wrong."
    assert answers(report)["compared"] == (
        "The run compared the data with a schema made from the same data."
    )
    assert "chance" not in answers(report)


def test_going_back_needs_a_command() -> None:
    steps = (NextStep("Look at it.", None),)
    verdict = replace(examples.pushed().verdict, next_steps=steps)
    assert "back" not in answers(replace(examples.pushed(), verdict=verdict))


def test_a_cached_training_costs_nothing_and_names_its_run() -> None:
    found = answers(examples.cached())
    assert "cost" not in found
    assert found["maker"].startswith("Run 20261122-051200-108311 trained it, and this run served")
