"""The workflows on GitHub: actions are pinned, and a job that may write runs no code of ours.

What they run finds its files: nobody looks at a nightly job every day.
"""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"^[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
USES = re.compile(r"^\s*(?:- )?uses: (?!\./)(.+)$", re.MULTILINE)


def read_workflow(path: Path) -> dict[str, Any]:
    return dict(YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")))


def each_job() -> Iterator[Any]:
    for path in WORKFLOWS:
        for name, job in read_workflow(path)["jobs"].items():
            yield pytest.param(job, id=f"{path.stem}-{name}")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_with_the_version_beside(path: Path) -> None:
    used = USES.findall(path.read_text(encoding="utf-8"))
    assert [action for action in used if not PINNED.match(action)] == []


def test_one_action_has_one_pin_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action in USES.findall(path.read_text(encoding="utf-8")):
            name, _, pin = action.partition("@")
            pins.setdefault(name, set()).add(pin)
    assert {name for name, found in pins.items() if len(found) > 1} == set()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_unless_a_job_asks_for_more(path: Path) -> None:
    assert read_workflow(path)["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("job", each_job())
def test_a_checkout_leaves_no_token_on_the_disk(job: dict[str, Any]) -> None:
    checkouts = [s for s in job.get("steps", ()) if "actions/checkout" in s.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("job", each_job())
def test_a_job_that_may_write_runs_no_code_of_this_project(job: dict[str, Any]) -> None:
    """Packages and tests run with the rights of their job."""
    may_write = "write" in job.get("permissions", {}).values()
    commands = " ".join(step.get("run", "") for step in job.get("steps", ()))
    assert not (may_write and re.search(r"\b(make|python|pip|uv|sh)\b", commands))


@pytest.mark.parametrize("job", each_job())
def test_a_step_fails_if_any_part_of_its_pipe_does(job: dict[str, Any]) -> None:
    """Only the shell that a step names has `pipefail`: the default is `bash -e`."""
    piped = [s for s in job.get("steps", ()) if re.search(r"[^|]\|[^|]", s.get("run", ""))]
    assert [step["run"] for step in piped if step.get("shell") != "bash"] == []


def test_a_newer_push_ends_the_tests_of_a_pull_request_and_of_no_commit_on_main() -> None:
    concurrency = read_workflow(ROOT / ".github/workflows/ci.yml")["concurrency"]
    assert concurrency["cancel-in-progress"] is True
    chosen = "github.event_name == 'pull_request' && github.ref || github.run_id"
    assert concurrency["group"] == f"${{{{ github.workflow }}}}-${{{{ {chosen} }}}}"


def test_new_locks_are_tested_before_anybody_merges_them() -> None:
    """GitHub starts no workflow for a pull request that a workflow's own token opened."""
    assert "workflow_dispatch" in read_workflow(ROOT / ".github/workflows/ci.yml")["on"]
    job = read_workflow(ROOT / ".github/workflows/update.yml")["jobs"]["propose"]
    commands = [line.strip() for step in job["steps"] for line in step.get("run", "").splitlines()]
    start = commands.index("gh workflow run ci.yml --ref locks")
    assert commands.index("git push --force origin locks") < start
    assert job["permissions"]["actions"] == "write"


def test_a_release_is_tested_before_it_is_built_and_built_before_it_is_published() -> None:
    jobs = read_workflow(ROOT / ".github/workflows/release.yml")["jobs"]
    assert jobs["test"]["uses"] == "./.github/workflows/ci.yml"
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("test", "build")


def test_the_image_is_made_of_named_bases_and_of_locked_packages() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+:\S+) AS python3\.\d+$", text, re.MULTILINE)
    assert len(bases) == 2
    installs = re.findall(r"(?:pip install|pip sync) .*", text)
    assert all("--require-hashes" in line or "--no-index" in line for line in installs)
    # Whoever names no target gets the image without NVIDIA's libraries, which have 3 GB.
    assert re.findall(r"^FROM (.+)$", text, re.MULTILINE)[-1] == "image"


def read_list(name: str) -> list[str]:
    """Returns a list of `tool.mutmut`, without a parser of TOML, which Python 3.10 lacks."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    [items] = re.findall(rf"^{name} = \[(.*?)^\]$", text, re.MULTILINE | re.DOTALL)
    return re.findall(r'^  "(.+?)"', items, re.MULTILINE)


def test_each_module_that_decides_is_mutated_in_one_nightly_job() -> None:
    matrix = read_workflow(ROOT / ".github/workflows/nightly.yml")["jobs"]["mutation"]["strategy"]
    parts = [part["mutants"].split() for part in matrix["matrix"]["include"]]
    mutated = {path for pattern in read_list("only_mutate") for path in ROOT.glob(pattern)}
    assert len(mutated) > 50
    for path in mutated:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        hits = [part for part in parts if any(fnmatch(f"{module}.x_f", p) for p in part)]
        assert len(hits) == 1, module


def test_a_night_of_torture_has_time_for_its_seeds() -> None:
    """Seeds that a night does not reach are never run: the next night has other ones."""
    text = (ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8")
    [step] = re.findall(r"RUN_NUMBER \* (\d+)\)\)\n.*first \+ (\d+)\)\).*--seconds (\d+)", text)
    seeds, last, seconds = map(int, step)
    assert last == seeds - 1
    rounds = (ROOT / "docs/reliability/rounds.jsonl").read_text(encoding="utf-8").splitlines()
    mean = sum(json.loads(line)["seconds"] for line in rounds) / len(rounds)
    assert seeds * mean < seconds
    told = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
    assert f"runs {seeds} seeds" in " ".join(told.split())


def test_each_target_of_the_image_is_built_by_a_job() -> None:
    jobs = [job for path in WORKFLOWS for job in read_workflow(path)["jobs"].values()]
    commands = [step.get("run", "") for job in jobs for step in job.get("steps", ())]
    built = [command for command in commands if command.startswith("make image ")]
    assert any("--target" not in command for command in built)
    assert any('ARGUMENTS="--target gpu"' in command for command in built)
    [load] = [command for command in commands if "deploy/load_cuda.py" in command]
    assert load.startswith("docker run ")


def test_every_path_in_the_tools_settings_exists() -> None:
    """mutmut would test nothing of a module that moved, or end at a missing test."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(
        r"^(?:pythonpath|source_paths|only_mutate|pytest_add_cli_args_test_selection|also_copy) = "
        r"\[(.*?)\]$",
        text,
        re.MULTILINE | re.DOTALL,
    )
    paths = [path for each in lists for path in re.findall(r'"(.+?)"', each)]
    assert len(lists) == 5
    assert [path for path in paths if path != "." and not any(ROOT.glob(path))] == []
