"""Columns that leak the label, and columns that merely predict it well."""

import datetime

import numpy as np
import pytest

RANDOM = np.random.default_rng(3)


def warned(proposal, column):
    return [w for w in proposal.warnings if w.startswith(f"{column}: ")]


@pytest.mark.parametrize("words", [("no", "yes"), ("dead", "alive"), ("0", "1"), ("", "x")])
def test_duplicate_of_the_label_is_left_out(propose, signal, words):
    table = signal()
    table["alive"] = [words[y] for y in table["y"]]
    proposal = propose(table)
    assert list(proposal.config.features) == ["x", "c"]
    assert "left out; duplicates the label (AUC 1.000)" in warned(proposal, "alive")[0]


def test_numbers_that_stand_for_classes_are_left_out(propose, signal):
    table = signal()
    grade = np.digitize(np.array(table["x"]) + RANDOM.normal(0, 0.5, 400), [-1, 0, 1])
    table["y"] = [f"grade {g}" for g in grade]
    table["grade"] = grade
    assert "grade" not in propose(table).config.features


@pytest.mark.parametrize("scale", [lambda y: 2 * y + 1, lambda y: -y, np.exp])
def test_copy_of_a_number_on_another_scale_is_left_out(propose, signal, scale):
    table = signal()
    label = np.array(table["x"]) + RANDOM.normal(0, 0.5, 400)
    table["y"] = label.round(6)
    table["other"] = scale(label).round(6)
    proposal = propose(table)
    assert list(proposal.config.features) == ["x", "c"]
    assert warned(proposal, "other")


def test_number_that_gives_the_label_with_a_second_number_is_left_out(propose, signal):
    table = signal(3000)
    fare = RANDOM.lognormal(2.5, 0.6, 3000).round(2)
    tips = np.where(RANDOM.random(3000) < 0.6, 0, fare * RANDOM.uniform(0.05, 0.4, 3000)).round(2)
    table |= {"fare": fare, "tips": tips, "y": (tips > 0.2 * fare).astype(int)}
    table["card"] = np.where(tips > 0, "card", RANDOM.choice(["card", "cash"], 3000))
    proposal = propose(table)
    assert set(proposal.config.features) == {"x", "c", "fare", "card"}
    assert "left out; comparing tips / fare with 0.2 gives the label" in proposal.warnings[0]


@pytest.mark.parametrize(
    "formula", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b]
)
def test_both_parts_of_a_number_are_left_out(propose, signal, formula):
    table = signal(1000)
    x = np.array(table["x"])
    a, b = np.exp(x + RANDOM.normal(0, 0.3, 1000)), RANDOM.uniform(1, 2, 1000)
    proposal = propose({**table, "a": a, "b": b, "y": formula(a, b)})
    assert list(proposal.config.features) == ["x", "c"]
    assert "is the label" in warned(proposal, "a")[0]
    assert "is the label" in warned(proposal, "b")[0]


def test_copy_with_gaps_is_left_out(propose, signal):
    table = signal(600)
    y = np.array(table["x"]) + RANDOM.normal(0, 0.5, 600)
    copy = ["" if i % 5 == 0 else f"{1.19 * v + 3:.5f}" for i, v in enumerate(y)]
    proposal = propose({**table, "gross": copy, "y": y})
    assert "gross" not in proposal.config.features
    assert "duplicates the label" in warned(proposal, "gross")[0]


def test_almost_perfect_score_on_many_rows_is_left_out(propose, signal):
    table = signal(3000)
    table["closed_by"] = [
        f"team {i % 30}" if y or i % 700 == 0 else "" for i, y in enumerate(table["y"])
    ]
    proposal = propose(table)
    assert "closed_by" not in proposal.config.features
    assert "almost without error" in warned(proposal, "closed_by")[0]


def test_almost_perfect_score_on_few_rows_is_kept_with_a_warning(propose, signal):
    table = signal(150)
    table["petal"] = [10 * y + x for x, y in zip(table["x"], table["y"], strict=True)]
    proposal = propose(table)
    assert "petal" in proposal.config.features
    assert "kept; alone it predicts the label suspiciously well" in warned(proposal, "petal")[0]


def test_leak_is_kept_if_nothing_else_predicts_the_label(propose):
    x = RANDOM.normal(size=3000)
    table = {"x": x, "noise": RANDOM.normal(size=3000), "y": (x > 0).astype(int)}
    proposal = propose(table)
    assert set(proposal.config.features) == {"x", "noise"}
    assert "kept, since nothing else predicts the label" in warned(proposal, "x")[0]


def test_duplicate_of_the_label_is_kept_as_the_only_column(propose):
    proposal = propose({"copy": ["a", "b"] * 50, "y": [0, 1] * 50})
    assert list(proposal.config.features) == ["copy"]
    assert warned(proposal, "copy")


def test_gaps_that_predict_the_label_are_no_leak(propose):
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


def on_days(rows, written="%d.%m.%Y"):
    day = datetime.date(2023, 1, 1)
    return [(day + datetime.timedelta(days=int(d))).strftime(written) for d in rows]


LATER = {
    "a date": on_days(RANDOM.integers(0, 700, 400)),
    "a time": [f"{d} {i % 24:02d}:15" for i, d in enumerate(on_days(range(400)))],
    "seconds": [str(1_600_000_000 + 86_400 * int(d)) for d in RANDOM.integers(0, 700, 400)],
    "a text": [f"the customer number {i} called us" for i in range(400)],
    "a reason": [f"reason {i % 5}" for i in range(400)],
    "an amount": RANDOM.normal(100, 20, 400).round(2).tolist(),
}


@pytest.mark.parametrize("filled", [0, 1])
@pytest.mark.parametrize("values", LATER.values(), ids=LATER.keys())
def test_column_filled_exactly_for_one_class_is_left_out(propose, signal, values, filled, tmp_path):
    table = signal()
    cells = [v if y == filled else "" for v, y in zip(values, table["y"], strict=True)]
    proposal = propose({**table, "cancelled at": cells})
    assert list(proposal.config.features) == ["x", "c"]
    why = f"it has a value exactly where the label is '{filled}' (AUC "
    assert f"left out; {why}" in warned(proposal, "cancelled at")[0]
    assert f"  # cancelled at: left out, {why}" in (tmp_path / "config.yaml").read_text()


def test_date_filled_almost_only_for_one_class_is_left_out(propose, signal):
    table = signal(3000)
    is_filled = [y == (i % 500 > 0) for i, y in enumerate(table["y"])]
    days = on_days(RANDOM.integers(0, 700, 3000))
    table["at"] = [d if f else "" for d, f in zip(days, is_filled, strict=True)]
    proposal = propose(table)
    assert "at" not in proposal.config.features
    assert "almost without error" in warned(proposal, "at")[0]


def test_placeholder_date_for_one_class_is_left_out(propose, signal):
    table = signal(3000)
    days = on_days(RANDOM.integers(0, 700, 3000))
    table["until"] = [d if y else "31.12.2999" for d, y in zip(days, table["y"], strict=True)]
    assert "until" not in propose(table).config.features


def test_column_filled_for_one_of_three_classes_is_kept_with_a_warning(propose, signal):
    table = signal(600)
    table["y"] = [("ok", "sent back", "cancelled")[y + (c == "red")] for y, c in zip(
        table["y"], table["c"], strict=True
    )]  # fmt: skip
    days = on_days(RANDOM.integers(0, 700, 600))
    table["at"] = [d if y == "cancelled" else "" for d, y in zip(days, table["y"], strict=True)]
    proposal = propose(table)
    assert proposal.config.features["at"].kind == "timestamp"
    assert (
        "kept; it has a value exactly where the label is 'cancelled'" in warned(proposal, "at")[0]
    )


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_dates_and_texts_that_predict_little_are_kept_without_a_warning(propose, signal, share):
    table = signal(1000)
    gaps = RANDOM.random(1000) < share
    days = on_days(RANDOM.integers(0, 700, 1000))
    table["when"] = ["" if g else d for g, d in zip(gaps, days, strict=True)]
    table["note"] = ["" if g else f"a text with the number {i}" for i, g in enumerate(gaps)]
    proposal = propose(table)
    assert {"when", "note"} <= set(proposal.config.features)
    assert not proposal.warnings


def test_column_named_after_the_label_is_kept_with_a_warning(propose, signal):
    table = signal(2000)
    table["y_predicted"] = np.array(table["y"]) + RANDOM.normal(0, 0.5, 2000)
    proposal = propose(table)
    assert "kept; named after the label" in warned(proposal, "y_predicted")[0]
