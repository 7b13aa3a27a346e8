"""A run is found by every name that a person has for it."""

import os
from pathlib import Path

import pytest
from recorded_runs import Recorded

from pipeline.core.errors import ConfigError
from pipeline.runners.comparing.choose import choose_side
from pipeline.runners.workspace.places import Workspace


def test_served_is_the_run_that_pushed_the_served_model(recorded: Recorded) -> None:
    chosen = choose_side(recorded.workspace, "served")
    assert (chosen.name, chosen.asked) == (recorded.names["pushed again"], "served")


def test_a_version_leads_to_its_push_and_not_to_a_run_that_found_it_served(
    recorded: Recorded,
) -> None:
    first = choose_side(recorded.workspace, recorded.versions["pushed"])
    assert first.name == recorded.names["pushed"]
    assert recorded.versions["cached"] == recorded.versions["pushed"]


def test_a_name_is_the_run(recorded: Recorded) -> None:
    name = recorded.names["stopped"]
    assert choose_side(recorded.workspace, name).name == name


def test_paths_lead_to_runs_of_other_workspaces(recorded: Recorded, tmp_path: Path) -> None:
    root, here = recorded.workspace.root, Workspace(tmp_path, tmp_path / "serving")
    newest = recorded.names["pushed again"]
    died = recorded.names["died"]
    version = recorded.versions["pushed"]
    (root / "serving" / version).mkdir(parents=True, exist_ok=True)
    for path, name in (
        (root, newest),
        (root / "logs" / died, died),
        (root / "serving" / version, recorded.names["pushed"]),
    ):
        for text in (str(path), os.path.relpath(path)):
            chosen = choose_side(here, text)
            assert (chosen.workspace.root, chosen.name) == (root, name)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("17", "pushed version 17"),
        ("20261123", "pushed version 20261123"),
        ("2026-11", "has no run 2026-11"),
        ("./nothing", "neither an output directory"),
    ],
)
def test_what_names_no_run_is_refused(recorded: Recorded, asked: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        choose_side(recorded.workspace, asked)


def test_without_a_served_model_served_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model is served"):
        choose_side(Workspace(tmp_path, tmp_path / "serving"), "served")
