"""The file that is written: names of any kind survive it, and it is written whole or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pipeline.config import load_config
from pipeline.config.rules.column_names import first_unservable
from pipeline.core.errors import ConfigError
from pipeline.onboarding import propose_config

ODD_NAMES = [
    "two words", "a.b.c", "it's", 'say "so"', "#1", "a: b", "- a", "-a", "yes", "No", "null", "~",
    "1", "1.5", "1e3", "0x1F", "2020-01-01", "größe", "名前", "😀", "{a}", "[b", "@at", "%p", "`",
    "*s", "&a", "!t", "|", ">", "?", "? q", "q?", "<<", "=", " lead", "trail ", "a\nb", "tab\there",
    "a\u2028b", "a\x85b", "a,b", "'", '"', "\\", "features", "kind", "x" * 300, "a #b", "ends:",
    "a\x1b[2Jb", "a\u202eb", "a\x9bb", "a\U000e0041b", "\u200b",
]  # fmt: skip


def told_apart(names):
    """The names that a served model can have together, the first of each kind."""
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


def test_names_that_yaml_takes_for_something_else(propose):
    proposal = propose(table_with(ODD_NAMES), label="the label")
    assert list(proposal.config.features) == told_apart(ODD_NAMES)
    assert list(load_config([Path("config.yaml")]).features) == told_apart(ODD_NAMES)
    text = Path("config.yaml").read_text(encoding="utf-8")
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_name_that_clients_could_not_tell_apart_is_left_out(propose):
    proposal = propose(table_with(["a b", "c", "a-b"]), label="the label")
    assert list(proposal.config.features) == ["a b", "c"]
    assert "# a-b: left out, clients of the served model could not tell it from 'a b'" in (
        Path("config.yaml").read_text()
    )


@pytest.mark.parametrize("name", ODD_NAMES)
def test_labels_and_left_out_columns_of_any_name(propose, name):
    table = {"x": [i % 7 + (i % 2) for i in range(60)], f"{name} id": range(60)}
    proposal = propose({**table, name: [i % 2 for i in range(60)]}, label=name)
    assert proposal.config.label.column == name
    assert list(proposal.config.features) == ["x"]


@pytest.mark.parametrize("name", ["member?", "? q", "a ? b", "größe", "two words"])
def test_slices_are_lists_of_any_name(propose, name):
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
def test_names_of_any_characters(propose, names):
    proposal = propose(table_with(["first", *names]), label="the label", quoting=1)
    assert list(proposal.config.features) == told_apart(["first", *names])


def test_empty_headers(propose):
    proposal = propose("x,,  ,y\n" + "".join(f"{i},{i % 3},{i % 5}.5,{i % 2}\n" for i in range(90)))
    assert {"column_2", "column_3"} <= set(proposal.config.features)


@pytest.mark.parametrize(
    ("first", "second"),
    [("yes", "no"), ("on", "off"), ("1", "0"), ("nil", "~"), ("a: b", "#c"), ("007", "008")],
)
def test_classes_stay_the_text_that_stands_in_the_table(propose, signal, first, second):
    table = signal()
    table["y"] = [first if y else second for y in table["y"]]
    assert set(propose(table).config.label.classes) == {first, second}


def test_markers_and_long_class_lists(propose, signal):
    table = signal(600)
    table["x"] = ["#N/A" if i % 9 == 0 else x for i, x in enumerate(table["x"])]
    table["y"] = [f"#{i % 12}: yes" for i in range(600)]
    config = propose(table).config
    assert config.data.csv.missing == ("", "#N/A")
    assert len(config.label.classes) == 12


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
def test_name_of_the_pipeline(tmp_path, monkeypatch, signal, to_csv, file, name):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path(file).write_text(to_csv(signal()))
    assert propose_config([file], "y", Path("config.yaml")).config.name == name


def test_an_existing_file_is_not_overwritten(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    Path("trees.csv").write_text(to_csv(signal()))
    output = Path("config.yaml")
    output.write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        propose_config(["trees.csv"], "y", output)
    assert output.read_text() == "mine"
    propose_config(["trees.csv"], "y", output, force=True)
    assert load_config([output]).label.column == "y"


def test_nothing_is_left_behind_on_failure(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    Path("trees.csv").write_text(to_csv(signal()))
    Path("file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        propose_config(["trees.csv"], "y", Path("file/config.yaml"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "trees.csv"]


def test_imports_no_tensorflow():
    code = "import sys, pipeline.onboarding; print({'tensorflow', 'tfx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
