"""What the page says of the data."""

from dataclasses import replace

import example_reports as examples

from components.data_figures.figures import Distance
from pipeline.report import data_facts
from pipeline.report.content import QualityPart, Report


def quality_of(report: Report) -> QualityPart:
    assert report.quality is not None
    return report.quality


def test_the_use_of_a_column_in_words() -> None:
    figures = examples.pushed().data.figures
    assert figures is not None
    label = next(c for c in figures.columns if c.role == "label")
    assert data_facts.kind_words(label) == "binary, label"
    assert data_facts.kind_words(replace(label, kind="", role="other")) == "not used"
    assert data_facts.kind_words(replace(label, role="feature")) == "binary"


def test_times_measured_as_a_whole_are_known() -> None:
    """Figures of an earlier version mix hour and weekday of a timestamp."""
    report = examples.pushed()
    figures, model = report.data.figures, quality_of(report).figures
    assert figures is not None
    assert model is not None
    fare = next(c for c in figures.columns if c.name == "fare")
    timed = replace(figures, columns=(replace(fare, kind="timestamp"),))
    assert data_facts.mixed_times(model.dependence, timed) == ["fare"]
    parts = [replace(d, part="hour") for d in model.dependence]
    assert data_facts.mixed_times(parts, timed) == []
    assert data_facts.mixed_times(model.dependence, figures) == []


def test_a_distance_is_a_share_of_its_limit_also_beyond_it() -> None:
    distance = Distance("infinity_norm", 0.1606, 0.05, 0.0526)
    assert data_facts.share_of_limit(distance) == "305 %"
    assert data_facts.share_of_limit(replace(distance, value=0.0)) == "0 %"
    assert data_facts.share_of_limit(replace(distance, limit=0.0)) == "0.1606"


def test_the_sentence_about_a_limit_says_what_the_distance_measures() -> None:
    assert data_facts.limit_words(Distance("infinity_norm", 0.16, 0.05, 0.0526)) == (
        "L-infinity distance (the greatest difference between a value's shares in the two "
        "samples). Allowed are the configured 0.05 plus what chance explains in that many rows"
    )


def test_shares_of_the_splits_add_up() -> None:
    assert data_facts.shares({"train": 3, "eval": 1}) == {"train": 0.75, "eval": 0.25}
    assert data_facts.shares({"train": 0}) == {"train": 0.0}
