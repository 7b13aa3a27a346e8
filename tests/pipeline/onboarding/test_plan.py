"""The whole proposal: name, slices and warnings."""

import re
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.errors import DataError
from pipeline.onboarding import Overrides, propose_config

RANDOM = np.random.default_rng(11)


def test_too_few_labelled_rows_are_refused(propose):
    with pytest.raises(DataError, match="only 3 rows"):
        propose({"x": [1, 2, 3], "y": [0, 1, 0]})


def test_many_equal_rows_earn_a_warning(propose):
    table = {"a": RANDOM.integers(0, 3, 600), "b": RANDOM.integers(0, 4, 600)}
    proposal = propose({**table, "y": (table["a"] + RANDOM.integers(0, 3, 600) > 2).astype(int)})
    assert any("rows equal an earlier one" in w for w in proposal.warnings)


def test_classes_too_rare_for_three_splits_are_named(propose, signal):
    table = signal(400)
    table["y"] = ["once" if i == 7 else f"grade {i % 3}" for i in range(400)]
    proposal = propose(table)
    (warning,) = [w for w in proposal.warnings if "no row of 'once'" in w]
    assert "".join(proposal.warnings).count("'once'") == 1, "the class is named once"
    assert " and " in warning
    assert "# not every split has enough rows of every class" in proposal.path.read_text()


def test_rows_that_were_not_divided_are_not_said_to_be_in_a_split(propose, signal):
    table = {name: values * 126 for name, values in signal(400).items()}
    table["y"] = ["once" if i == 7 else f"grade {i % 3}" for i in range(len(table["y"]))]
    warnings = propose(table).warnings
    assert any("may be missing from a split: 'once'" in w for w in warnings)
    assert not any("no row of" in w for w in warnings)


def test_a_split_by_time_leaves_its_later_rows_out_of_every_score(propose):
    """Only rows of eval and test have a connection between `x` and the label."""
    rows = 2000
    x, guess = RANDOM.normal(size=rows).round(3), RANDOM.integers(0, 2, rows)
    y = np.where(np.arange(rows) < 0.7 * rows, guess, x > 0)
    days = np.datetime_as_string(np.datetime64("2020-01-01") + np.arange(rows))
    table = {"x": x, "day": days, "y": y.astype(int)}
    proposal = propose(table, overrides=Overrides(time_column="day"))
    score = float(re.search(r"x: numeric .*AUC (\d\.\d+)", proposal.path.read_text()).group(1))
    assert abs(score - 0.5) < 0.06
    assert proposal.config.evaluation.thresholds[0].at_least < 0.6


def test_slices_are_columns_with_few_values_and_enough_rows(propose, signal):
    table = signal(2000)
    table["city"] = [f"city {i % 40}" for i in range(2000)]
    table["smoker"] = [("no", "yes")[i % 3 == 0] for i in range(2000)]
    assert propose(table).config.evaluation.slices == (("c",), ("smoker",))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("House Prices (2019).csv", "house-prices-2019"),
        ("Größe.csv", "groe"),
        ("--x--.csv", "x"),
        ("ひ.csv", "folder"),
        ("train.csv", "folder"),
        ("x" * 90 + ".csv", "x" * 63),
    ],
)
def test_pipeline_is_named_after_the_file_or_its_folder(
    tmp_path, monkeypatch, signal, to_csv, file, name
):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path(file).write_text(to_csv(signal()))
    assert propose_config([file], "y", Path("config.yaml")).config.name == name
