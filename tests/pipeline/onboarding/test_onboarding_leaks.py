"""Columns that give the label away, and those that merely predict it well."""

import numpy as np
import pytest

from pipeline.onboarding.names import names_of

RANDOM = np.random.default_rng(3)


def warned(proposal, column):
    return [w for w in proposal.warnings if w.startswith(f"{column}: ")]


@pytest.mark.parametrize("words", [("no", "yes"), ("dead", "alive"), ("0", "1"), ("", "x")])
def test_the_label_in_other_words(propose, signal, words):
    table = signal()
    table["alive"] = [words[y] for y in table["y"]]
    proposal = propose(table)
    assert list(proposal.config.features) == ["x", "c"]
    assert "left out; the label in other words (AUC 1.000)" in warned(proposal, "alive")[0]


def test_copies_of_classes(propose, signal):
    table = signal()
    grade = np.digitize(np.array(table["x"]) + RANDOM.normal(0, 0.5, 400), [-1, 0, 1])
    table["y"] = [f"grade {g}" for g in grade]
    table["grade"] = grade
    assert "grade" not in propose(table).config.features


@pytest.mark.parametrize("scale", [lambda y: 2 * y + 1, lambda y: -y, np.exp])
def test_copies_of_a_number_on_another_scale(propose, signal, scale):
    table = signal()
    label = np.array(table["x"]) + RANDOM.normal(0, 0.5, 400)
    table["y"] = label.round(6)
    table["other"] = scale(label).round(6)
    proposal = propose(table)
    assert list(proposal.config.features) == ["x", "c"]
    assert warned(proposal, "other")


def test_a_number_that_makes_the_label_together_with_another(propose, signal):
    table = signal(3000)
    fare = RANDOM.lognormal(2.5, 0.6, 3000).round(2)
    tips = np.where(RANDOM.random(3000) < 0.6, 0, fare * RANDOM.uniform(0.05, 0.4, 3000)).round(2)
    table |= {"fare": fare, "tips": tips, "y": (tips > 0.2 * fare).astype(int)}
    table["card"] = np.where(tips > 0, "card", RANDOM.choice(["card", "cash"], 3000))
    proposal = propose(table)
    assert set(proposal.config.features) == {"x", "c", "fare", "card"}
    assert "left out; whether tips / fare is above 0.2 tells the label" in proposal.warnings[0]


@pytest.mark.parametrize(
    "formula", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b]
)
def test_parts_of_a_number(propose, signal, formula):
    table = signal(1000)
    x = np.array(table["x"])
    a, b = np.exp(x + RANDOM.normal(0, 0.3, 1000)), RANDOM.uniform(1, 2, 1000)
    proposal = propose({**table, "a": a, "b": b, "y": formula(a, b)})
    assert list(proposal.config.features) == ["x", "c"]
    assert "is the label" in warned(proposal, "a")[0]
    assert "is the label" in warned(proposal, "b")[0]


def test_a_copy_with_gaps_is_left_out(propose, signal):
    table = signal(600)
    y = np.array(table["x"]) + RANDOM.normal(0, 0.5, 600)
    copy = ["" if i % 5 == 0 else f"{1.19 * v + 3:.5f}" for i, v in enumerate(y)]
    proposal = propose({**table, "gross": copy, "y": y})
    assert "gross" not in proposal.config.features
    assert "the label in other words" in warned(proposal, "gross")[0]


def test_near_certainty_on_many_rows_is_left_out(propose, signal):
    table = signal(3000)
    table["closed_by"] = [
        f"team {i % 30}" if y or i % 700 == 0 else "" for i, y in enumerate(table["y"])
    ]
    proposal = propose(table)
    assert "closed_by" not in proposal.config.features
    assert "almost without error" in warned(proposal, "closed_by")[0]


def test_near_certainty_on_few_rows_is_only_a_warning(propose, signal):
    table = signal(150)
    table["petal"] = [10 * y + x for x, y in zip(table["x"], table["y"], strict=True)]
    proposal = propose(table)
    assert "petal" in proposal.config.features
    assert "kept; alone it predicts the label suspiciously well" in warned(proposal, "petal")[0]


def test_what_alone_predicts_is_kept_if_nothing_else_does(propose):
    x = RANDOM.normal(size=3000)
    table = {"x": x, "noise": RANDOM.normal(size=3000), "y": (x > 0).astype(int)}
    proposal = propose(table)
    assert set(proposal.config.features) == {"x", "noise"}
    assert "kept, since nothing else predicts the label" in warned(proposal, "x")[0]


def test_a_copy_as_the_only_column_is_kept(propose):
    proposal = propose({"copy": ["a", "b"] * 50, "y": [0, 1] * 50})
    assert list(proposal.config.features) == ["copy"]
    assert warned(proposal, "copy")


def test_missingness_that_predicts_is_no_leak(propose):
    label = RANDOM.integers(0, 2, 3000)
    gaps = RANDOM.random(3000) < np.where(label == 1, 0.05, 0.95)
    table = {
        "x": ["" if gap else v for gap, v in zip(gaps, RANDOM.normal(size=3000), strict=True)],
        "z": RANDOM.normal(size=3000),
        "y": label,
    }
    proposal = propose(table)
    assert "x" in proposal.config.features
    assert not proposal.warnings


def test_named_after_the_label(propose, signal):
    table = signal(2000)
    table["y_predicted"] = np.array(table["y"]) + RANDOM.normal(0, 0.5, 2000)
    proposal = propose(table)
    assert "kept; named after the label" in warned(proposal, "y_predicted")[0]


@pytest.mark.parametrize(
    ("name", "label", "expected"),
    [
        ("price_predicted", "price", True),
        ("PredictedPrice", "price", True),
        ("big_tipper_score", "big_tipper", True),
        ("price", "price", False),
        ("pricey", "price", False),
        ("", "price", False),
    ],
)
def test_names_of(name, label, expected):
    assert names_of(name, label) is expected
