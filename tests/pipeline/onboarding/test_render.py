"""The rendered YAML file: names and texts of any kind survive it."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pipeline.config import load_config
from pipeline.config.rules.column_names import first_unservable
from pipeline.config.sections.families.trees import TreesConfig
from pipeline.onboarding.choosing.budget import Load
from pipeline.onboarding.choosing.many_rows import limit_trees
from pipeline.onboarding.choosing.sizing import guess_size
from pipeline.onboarding.plan import make_plan
from pipeline.onboarding.render import render
from pipeline.onboarding.table import read_table

ODD_NAMES = [
    "two words", "a.b.c", "it's", 'say "so"', "#1", "a: b", "- a", "-a", "yes", "No", "null", "~",
    "1", "1.5", "1e3", "0x1F", "2020-01-01", "größe", "名前", "😀", "{a}", "[b", "@at", "%p", "`",
    "*s", "&a", "!t", "|", ">", "?", "? q", "q?", "<<", "=", " lead", "trail ", "a\nb", "tab\there",
    "a\u2028b", "a\x85b", "a,b", "'", '"', "\\", "features", "kind", "x" * 300, "a #b", "ends:",
    "a\x1b[2Jb", "a\u202eb", "a\x9bb", "a\U000e0041b", "\u200b",
]  # fmt: skip


def keep_distinguishable(names):
    """Returns the names that a served model can have together, the first of each kind."""
    kept = []
    for name in names:
        if first_unservable([*kept, name]) is None:
            kept.append(name)
    return kept


def table_with(names):
    columns = {}
    for index, name in enumerate(names):
        columns[name] = [((i + index) * 37) % 101 + (i % 2) * 40 + 0.5 for i in range(60)]
    return {**columns, "the label": [i % 2 for i in range(60)]}


def test_names_that_yaml_reads_as_other_types_survive(propose):
    proposal = propose(table_with(ODD_NAMES), label="the label")
    assert list(proposal.config.features) == keep_distinguishable(ODD_NAMES)
    assert list(load_config([Path("config.yaml")]).features) == keep_distinguishable(ODD_NAMES)
    text = Path("config.yaml").read_text(encoding="utf-8")
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_labels_and_left_out_columns_may_have_any_name(propose, name):
    table = {"x": [i % 7 + (i % 2) for i in range(60)], f"{name} id": range(60)}
    proposal = propose({**table, name: [i % 2 for i in range(60)]}, label=name)
    assert proposal.config.label.column == name
    assert list(proposal.config.features) == ["x"]


@pytest.mark.parametrize("name", ["member?", "? q", "a ? b", "größe", "two words"])
def test_sliced_columns_may_have_any_name(propose, name):
    table = {"x": [i % 7 + (i % 2) for i in range(600)], name: ["ab", "cd", "ef"] * 200}
    proposal = propose({**table, "the label": [i % 2 for i in range(600)]}, label="the label")
    assert (name,) in proposal.config.evaluation.slices


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1)
        .filter(str.strip)
        .filter(lambda name: name != "the label"),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
@example(["\ufeff"])
@example(["a\x1f", "\ud7ff"])
def test_names_of_any_characters_survive(propose, names):
    proposal = propose(table_with(["first", *names]), label="the label", quoting=1)
    assert list(proposal.config.features) == keep_distinguishable(["first", *names])


@pytest.mark.parametrize(
    ("first", "second"),
    [("yes", "no"), ("on", "off"), ("1", "0"), ("nil", "~"), ("a: b", "#c"), ("007", "008")],
)
def test_classes_stay_the_text_in_the_table(propose, signal, first, second):
    table = signal()
    table["y"] = [first if y else second for y in table["y"]]
    assert set(propose(table).config.label.classes) == {first, second}


def test_markers_and_long_class_lists_survive(propose, signal):
    table = signal(600)
    table["x"] = ["#N/A" if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    table["y"] = [f"#{i % 12}: yes" for i in range(600)]
    config = propose(table).config
    assert config.data.csv.missing == ("", "#N/A")
    assert len(config.label.classes) == 12


@pytest.mark.parametrize(("name", "quoted"), [("day", "day"), ("sold on", "'sold on'")])
def test_split_by_time_is_only_suggested_in_a_comment(propose, signal, tmp_path, name, quoted):
    table = signal()
    table[name] = [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(400)]
    assert propose(table).config.data.split.by == "row"
    assert (
        f"`init --time-column {quoted}` tests on the latest rows"
        in (tmp_path / "config.yaml").read_text()
    )


def test_left_out_columns_are_listed_as_comments(propose, signal, tmp_path):
    propose({**signal(), "passenger_id": range(400), "k": ["same"] * 400})
    lines = (tmp_path / "config.yaml").read_text().splitlines()
    assert "  # passenger_id: left out, all values differ" in lines
    assert "  # k: left out, constant, always 'same'" in lines


@pytest.mark.parametrize(("outputs", "family"), [(1, "blend"), (3, "blend"), (100, "wide_deep")])
def test_the_limited_trees_of_many_rows_survive(propose, signal, outputs, family):
    propose(signal())
    size = limit_trees(guess_size(800_000, "multiclass"), 800_000, Load(20, 20), outputs)
    plan = replace(make_plan(read_table(["trees.csv"], "y"), "y"), size=size)
    Path("large.yaml").write_text(render(plan))
    config = load_config([Path("large.yaml")])
    assert config == plan.to_config()
    assert config.model.family == family
    limited = config.model.trees.iterations < TreesConfig().iterations
    assert limited == (family == "blend")
