"""What the page says of the whole run."""

from dataclasses import replace

import example_reports as examples
import pytest

from pipeline.report import run_facts


@pytest.mark.parametrize(
    ("name", "tone"),
    [
        ("pushed", "good"),
        ("gate_stop", "bad"),
        ("not_blessed", "warn"),
        ("failed", "bad"),
        ("interrupted", "off"),
    ],
)
def test_the_colour_of_the_verdict_follows_the_exit_code(name: str, tone: str) -> None:
    assert run_facts.tone(examples.ALL[name]()) == tone


def test_the_key_facts_of_a_pushed_run() -> None:
    shown = {fact.label: fact for fact in run_facts.key_facts(examples.pushed())}
    assert shown["Rows"].value == "15,000"
    assert shown["auc"].detail == "95 %: 0.8514 to 0.8714"
    assert shown["Against served"].detail == "more than chance"
    assert shown["Findings in the data"].value == "1"
    assert shown["Time"].value == "1 min 12 s"


def test_an_interrupted_run_has_no_facts_that_nobody_knows() -> None:
    assert run_facts.key_facts(examples.interrupted()) == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gate_stop", "The data gate stopped the run before the evaluation."),
        ("failed", "Trainer failed before the evaluation."),
        ("interrupted", "An interruption ended the run before the evaluation."),
        ("pushed", "The run ended before the evaluation."),
    ],
)
def test_an_empty_part_says_why(name: str, sentence: str) -> None:
    assert run_facts.absence(examples.ALL[name](), "the evaluation") == sentence


def test_the_slowest_component_stands_first_and_cached_ones_are_left_out() -> None:
    assert run_facts.slowest(examples.pushed().components)[0].name == "Trainer"
    assert run_facts.slowest(examples.cached().components) == []
    assert (
        run_facts.cached_words(examples.cached().components) == "16 of 16 components from the cache"
    )


def test_a_search_alone_trains_nothing() -> None:
    report = examples.tuned()
    alone = tuple(c for c in report.components if c.name != "Trainer")
    assert not run_facts.is_search_alone(report)
    assert run_facts.is_search_alone(replace(report, components=alone))
