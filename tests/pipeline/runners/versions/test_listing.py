"""`versions` tells of each version its state, since when, by whom and why."""

from pathlib import Path

import pytest
from past_summaries import leave_run
from shop_versions import Shop

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
    assert three.why == f"compared with version {one.version}"
    assert all(v.since and v.bytes > 0 for v in listed.values())


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
