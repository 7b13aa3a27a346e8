"""Codes and names whose values do not recur become texts if their spelling tells something."""

import numpy as np

from pipeline.onboarding.overrides import Overrides

ROWS = 2000


def make_codes(signal, rows=ROWS):
    """Returns a table with product codes, of which a part moves the label, and random ones."""
    random = np.random.default_rng(1)
    table = signal(rows)
    makers = random.choice(["QX", "MB", "TR"], rows)
    table["y"] = ((makers == "QX") ^ (random.random(rows) < 0.1)).astype(int)
    numbers = random.permutation(90_000)[:rows] + 10_000
    table["code"] = [f"{number}-{maker}7" for number, maker in zip(numbers, makers, strict=True)]
    table["token"] = [random.bytes(8).hex() for _ in range(rows)]
    return table


def test_parts_of_codes_are_taken_where_a_trial_speaks_for_them(propose, signal):
    proposal = propose(make_codes(signal))
    code = proposal.config.features["code"]
    assert (code.kind, code.character_ngrams) == ("text", 4)
    assert "token" not in proposal.config.features
    text = proposal.path.read_text()
    assert "all values differ, but parts of them recur" in text
    assert "# token: left out, all values differ" in text
    # The quick fit sees the parts, too.
    [threshold] = proposal.config.evaluation.thresholds
    assert threshold.at_least > 0.65


def test_parts_of_codes_are_no_feature_where_a_person_or_the_table_forbids_it(propose, signal):
    table = make_codes(signal)
    excluded = Overrides(exclude=("code",))
    assert "code" not in propose(table, overrides=excluded).config.features
    short = {name: values[:400] for name, values in table.items()}
    assert "code" not in propose(short).config.features


def test_names_of_new_values_beside_known_ones_are_spelled(propose):
    """A name of two rows is no category, and its ending tells the label."""
    random = np.random.default_rng(2)
    syllables = ["ka", "ru", "mi", "to", "se", "la", "no", "vi"]
    names = {"".join(random.choice(syllables, 5)) for _ in range(1000)}
    names = np.repeat(sorted(names), 2)
    noise = random.integers(0, 50, len(names))
    label = [int(name.endswith(("ka", "mi"))) for name in names]
    feature = propose({"x": noise, "name": names, "y": label}).config.features["name"]
    assert feature.character_ngrams == 4
