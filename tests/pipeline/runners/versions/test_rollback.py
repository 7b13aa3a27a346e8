"""`rollback` serves an older version again, whole, on record, and for the next run's comparison."""

import multiprocessing
import time
from pathlib import Path

import pytest
from kills import kill_at_each_step
from object_store import Bucket
from shop_versions import Shop

from components.served_model.changes import read_changes
from components.served_model.lock import lock_serving
from components.served_model.pointer import find_record, read_pointer, resolve_withdrawal
from components.served_model.version_records import find_version_record
from pipeline.core.errors import ConfigError
from pipeline.runners.versions.rollback import roll_back
from serving.processes.sources import PointerSource


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Three versions: one, two and three, which is served."""
    shop = Shop(tmp_path / "shop")
    for name in ("one", "two", "three"):
        shop.push(name)
    return shop


def versions(shop: Shop) -> dict[str, str]:
    """Returns the version of each model."""
    found = (p.name for p in Path(shop.serving).iterdir() if p.name.isdigit())
    return {Path(shop.serving, v, "saved_model.pb").read_text(): v for v in found}


def test_the_version_that_was_served_before_is_served_again_and_is_on_record(shop: Shop) -> None:
    source = PointerSource(Path(shop.serving))
    source.read()
    change = roll_back(shop.workspace, None, "too many complaints")
    assert shop.served() == "two"
    assert source.has_changed()
    assert source.read().version == change.version == versions(shop)["two"]
    assert read_changes(shop.serving).entries[-1] == change
    assert (change.reason, change.before) == ("too many complaints", versions(shop)["three"])
    assert (change.action, change.run) == ("rollback", "run-two")
    assert "@" in change.by
    config = Path(shop.serving, "models.config").read_text()
    assert f"specific {{ versions: {change.version} }}" in config
    assert 'name: "shop"' in config


def test_the_next_run_compares_with_the_version_and_its_own_baseline_is_back(shop: Shop) -> None:
    before = find_version_record(shop.serving, versions(shop)["two"])
    roll_back(shop.workspace, None)
    assert read_pointer(shop.serving) == before
    for role in ("baseline", "reference"):
        compared = find_record(shop.serving, role, "another")
        assert compared is not None
        assert compared.version == versions(shop)["two"]
    again = find_record(shop.serving, "baseline", "two")
    assert again is not None
    assert again.version == versions(shop)["one"], "an unchanged run compares as it did"


def test_a_rollback_on_another_machine_withdraws_the_version_of_a_store(
    tmp_path: Path, bucket: Bucket
) -> None:
    one, two = (Shop(tmp_path / name, store=bucket.url("shop")) for name in ("one", "two"))
    for name in ("first", "second", "third"):
        one.push_to_store(name)
    change = roll_back(two.workspace, None, "too many complaints")
    assert two.served() == "second"
    one.workspace.refresh_serving()
    assert one.served() == "second"
    withdrawal = read_changes(one.serving).find_withdrawal("third")
    assert withdrawal is not None
    assert withdrawal.change == change


def test_an_old_version_of_a_store_is_served_by_a_machine_that_never_had_it(
    tmp_path: Path, bucket: Bucket
) -> None:
    one, two = (Shop(tmp_path / name, store=bucket.url("shop")) for name in ("one", "two"))
    oldest, *_ = (one.push_to_store(name) for name in ("first", "second", "third"))
    roll_back(two.workspace, oldest)
    assert two.served() == "first"


def test_of_a_push_and_a_rollback_at_once_on_two_machines_the_later_one_fails(
    tmp_path: Path, bucket: Bucket
) -> None:
    one, two = (Shop(tmp_path / name, store=bucket.url("shop")) for name in ("one", "two"))
    one.push_to_store("first")
    one.push_to_store("second")

    def push_while_another_rolls_back() -> None:
        with lock_serving(one.serving):
            one.push("third")
            roll_back(two.workspace, None)

    with pytest.raises(ConfigError, match="another run, promote or rollback changed"):
        push_while_another_rolls_back()
    assert one.served() == two.served() == "first"


def test_all_later_versions_are_withdrawn_and_a_new_one_is_not(shop: Shop) -> None:
    roll_back(shop.workspace, versions(shop)["one"], "wrong labels")
    assert resolve_withdrawal(shop.serving, "one") == ""
    for name in ("two", "three"):
        assert resolve_withdrawal(shop.serving, name)
    withdrawal = read_changes(shop.serving).find_withdrawal("three")
    assert withdrawal is not None
    assert "because: wrong labels" in withdrawal.describe()
    four = shop.push("four")
    assert int(four) > max(int(v) for n, v in versions(shop).items() if n != "four")
    assert resolve_withdrawal(shop.serving, "four") == ""
    assert resolve_withdrawal(shop.serving, "three")
    # What the new version replaced is the version gone back to, not the newest number.
    roll_back(shop.workspace, None)
    assert shop.served() == "one"


def test_a_version_that_an_older_pointer_does_not_know_withdraws_the_served_one(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    one = shop.push("one")
    backup = Path(shop.serving, "served.json").read_text()
    two = shop.push("two")
    Path(shop.serving, "served.json").write_text(backup)
    assert roll_back(shop.workspace, two).withdrawn == {one: "one"}
    assert shop.served() == "two"


def test_a_version_whose_record_is_lost_is_withdrawn_without_its_key(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    one, two, three, four = (shop.push(name) for name in ("one", "two", "three", "four"))
    Path(shop.serving, ".reference", two, "served.json").unlink()
    withdrawn = roll_back(shop.workspace, one).withdrawn
    assert withdrawn == {two: "", three: "three", four: "four"}


def test_an_equal_model_that_is_served_again_is_not_withdrawn(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    first, _, _ = shop.push("one"), shop.push("two"), shop.push("one")
    roll_back(shop.workspace, None)
    assert resolve_withdrawal(shop.serving, "one")
    roll_back(shop.workspace, first)
    assert resolve_withdrawal(shop.serving, "one") == ""


def test_versions_to_go_back_to_survive_withdrawn_ones(tmp_path: Path) -> None:
    shop = Shop(tmp_path, keep=2)
    for name in ("one", "two", "bad"):
        shop.push(name)
    roll_back(shop.workspace, None)
    shop.push("worse")
    roll_back(shop.workspace, None)
    shop.push("good")
    assert {"two", "good"} <= {*versions(shop)}
    roll_back(shop.workspace, None)
    assert shop.served() == "two"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("three", "is served already"),
        ("absent", "has no version 17"),
        ("waiting", "was never served: it waits"),
    ],
)
def test_a_version_that_is_nothing_to_go_back_to_is_refused(
    shop: Shop, asked: str, words: str
) -> None:
    known = versions(shop) | {"absent": "17", "waiting": shop.wait("four")}
    with pytest.raises(ConfigError, match=words):
        roll_back(shop.workspace, known[asked])
    assert shop.served() == "three"


def test_a_withdrawn_damaged_or_last_version_is_refused(shop: Shop) -> None:
    roll_back(shop.workspace, None)
    with pytest.raises(ConfigError, match="is withdrawn"):
        roll_back(shop.workspace, versions(shop)["three"])
    Path(shop.serving, versions(shop)["one"], "saved_model.pb").write_text("")
    with pytest.raises(ConfigError, match="has lost files"):
        roll_back(shop.workspace, None)
    only = Shop(shop.root / "only")
    with pytest.raises(ConfigError, match="no model is served here"):
        roll_back(only.workspace, None)
    only.push("one")
    with pytest.raises(ConfigError, match="nothing older to go back to than version"):
        roll_back(only.workspace, None)


def test_a_rollback_killed_at_any_step_is_done_or_not_and_can_be_repeated(
    shop: Shop, tmp_path: Path
) -> None:
    outcomes = set()
    copies: dict[int, Shop] = {}

    def make_act(step: int) -> object:
        copies[step] = shop.copy(tmp_path / str(step))
        return lambda: roll_back(copies[step].workspace, None)

    for step in kill_at_each_step(make_act):  # type: ignore[arg-type]
        killed = copies[step]
        outcomes.add(killed.served())
        assert {*versions(killed)} == {"one", "two", "three"}
        if killed.served() == "three":
            roll_back(killed.workspace, None)
        # The next push completes what the kill left undone.
        version = killed.push("four")
        assert f"versions: {version} " in Path(killed.serving, "models.config").read_text()
        assert resolve_withdrawal(killed.serving, "three")
        roll_back(killed.workspace, None)
        assert killed.served() == "two"
        assert not list(Path(killed.serving).glob("*.part"))
    assert outcomes == {"two", "three"}


def test_two_people_who_go_back_at_once_go_back_one_version(shop: Shop) -> None:
    processes = multiprocessing.get_context("fork")
    refused = processes.Queue()

    def go_back() -> None:
        try:
            roll_back(shop.workspace, None)
        except ConfigError as error:
            refused.put(error.message)

    with lock_serving(shop.serving):
        both = [processes.Process(target=go_back) for _ in range(2)]
        for process in both:
            process.start()
        time.sleep(0.5)
        assert all(process.is_alive() for process in both), "both wait for the lock"
    for process in both:
        process.join()
    assert "meanwhile, so nothing was changed" in refused.get(timeout=10)
    assert refused.empty()
    assert shop.served() == "two"
