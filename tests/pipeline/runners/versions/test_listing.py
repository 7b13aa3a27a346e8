"""`versions` tells of each version its state, since when, by whom and why."""

import json
from pathlib import Path

import pytest
from past_summaries import leave_run
from shop_versions import Shop

from components.served_model.served_record import PENDING
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import RunEnded
from pipeline.runners.versions.listing import Version, list_versions
from pipeline.runners.versions.promote import promote
from pipeline.runners.versions.rollback import roll_back

RUN = "20260301-040000-000000"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Version one is served again, two is withdrawn, and three waits."""
    shop = Shop(tmp_path)
    metrics = {"": {"auc": 0.9, "log_loss": 0.3}}
    pushed = str(Path(shop.serving, shop.push("one")))
    leave_run(
        shop.workspace, RUN, RunEnded(0, blessed=True, pushed=pushed, metrics=metrics),
        deciding=["auc"],
    )  # fmt: skip
    shop.push("two")
    roll_back(shop.workspace, None, "too many complaints")
    shop.wait("three")
    return shop


def by_name(shop: Shop) -> dict[str, Version]:
    listed = list_versions(shop.workspace)
    places = ("saved_model.pb", "model/saved_model.pb")
    files = [next(p for n in places if (p := Path(v.directory, n)).exists()) for v in listed]
    return {file.read_text(): version for file, version in zip(files, listed, strict=True)}


def test_each_version_has_its_state_and_the_reason(shop: Shop) -> None:
    listed = by_name(shop)
    one, two, three = listed.values()
    assert [*listed] == ["one", "two", "three"]
    assert [v.state for v in listed.values()] == ["served", "withdrawn", "waiting"]
    assert one.why.startswith(f"rolled back from {two.version} by ")
    assert two.why.startswith(f"rolled back to {one.version} by ")
    assert two.why.endswith("because: too many complaints")
    assert (two.reason, two.by) == ("too many complaints", one.by)
    assert "@" in two.by
    assert three.why == f"compared with version {one.version}"
    assert (three.by, three.reason, three.deciding) == ("", "", ())
    assert all(v.since and v.bytes > 0 for v in listed.values())


def test_a_version_that_no_change_names_is_listed_without_a_story(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    served = shop.push("one")
    Path(shop.serving, "1").mkdir()
    unknown, one = list_versions(shop.workspace)
    assert (unknown.version, unknown.state, one.version, one.state) == (
        "1", "earlier", served, "served"
    )  # fmt: skip
    told = (unknown.since, unknown.run, unknown.why, unknown.by, unknown.reason)
    assert told == ("", "", "", "", "")


def test_the_served_version_is_listed_though_its_push_was_killed_at_the_end(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    version = shop.push("one")
    Path(shop.serving, PENDING).write_text(version)
    assert [(v.version, v.state) for v in list_versions(shop.workspace)] == [(version, "served")]


def test_a_candidate_has_the_run_and_the_metrics_of_its_run(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    number = shop.wait("one")
    place = str(Path(shop.serving, WAITING_DIRECTORY, number))
    ended = RunEnded(0, blessed=True, waiting=place, metrics={"": {"auc": 0.9}})
    leave_run(shop.workspace, RUN, ended, deciding=["auc"])
    (one,) = list_versions(shop.workspace)
    assert (one.state, one.run, one.metrics, one.deciding) == (
        "waiting", RUN, {"auc": 0.9}, ("auc",)
    )  # fmt: skip


def test_a_candidate_that_adds_exports_to_the_served_model_says_so(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.wait("one")
    assert [v.why for v in list_versions(shop.workspace)] == ["compared with no model"]
    version = shop.push("two")
    shop.wait("two", exports_key="onnx")
    listed = list_versions(shop.workspace)
    (added,) = (v for v in listed if v.state == "waiting" and v.run == "run-two")
    assert added.why == f"same model as version {version}, with exports"


@pytest.mark.parametrize(
    ("exports_key", "exports"), [("", "without exports"), ("other", "with other exports")]
)
def test_a_candidate_that_changes_the_exports_of_the_served_model_says_so(
    tmp_path: Path, exports_key: str, exports: str
) -> None:
    shop = Shop(tmp_path)
    version = shop.push("one")
    pointer = Path(shop.serving, ArtifactFile.SERVED_RECORD)
    served = {**json.loads(pointer.read_text()), "exports_key": "onnx"}
    pointer.write_text(json.dumps(served))
    shop.wait("one", exports_key)
    whys = [v.why for v in list_versions(shop.workspace) if v.state == "waiting"]
    assert whys == [f"same model as version {version}, {exports}"]


def test_metrics_and_the_run_come_from_the_run_that_pushed(shop: Shop) -> None:
    listed = by_name(shop)
    one, three = listed["one"], listed["three"]
    assert (one.run, one.metrics, one.deciding) == (RUN, {"auc": 0.9, "log_loss": 0.3}, ("auc",))
    assert (three.run, three.metrics) == ("run-three", {})


def test_metrics_of_a_run_on_kubeflow_come_from_its_record(shop: Shop) -> None:
    path = shop.root / "runs/run-three/tasks/Evaluator.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"outcome": {"metrics": {"": {"auc": 0.8}}}}')
    assert by_name(shop)["three"].metrics == {"auc": 0.8}


def test_pushes_and_promotions_are_told(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    assert list_versions(shop.workspace) == []
    shop.push("one")
    shop.wait("two")
    promote(shop.workspace, None, "looks good")
    listed = by_name(shop)
    assert (listed["one"].state, listed["one"].why) == ("earlier", "pushed by run run-one")
    assert listed["two"].why.startswith("promoted by ")
    assert listed["two"].why.endswith("because: looks good")
