"""`promote` serves a candidate as the Pusher would, or brings a withdrawn version back."""

from datetime import datetime, timezone
from pathlib import Path

import pytest
from kills import kill_at_each_step
from object_store import Bucket
from shop_versions import Shop

from components.pusher.versions import list_versions
from components.served_model.changes import Change, read_changes
from components.served_model.pointer import find_record, read_pointer, resolve_withdrawal
from components.served_model.waiting import list_numbers, list_waiting, read_candidate
from pipeline.core.errors import ConfigError
from pipeline.runners.versions import listing
from pipeline.runners.versions.promote import promote
from pipeline.runners.versions.rollback import roll_back


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A served model, and two candidates that were compared with it."""
    shop = Shop(tmp_path / "shop")
    shop.push("one")
    for name in ("two", "three"):
        shop.wait(name)
    return shop


def test_no_model_server_finds_a_candidate(shop: Shop) -> None:
    assert len(list_versions(shop.serving)) == 1
    assert [c.record.run_key for c in list_waiting(shop.serving)] == ["two", "three"]


def test_the_newest_candidate_is_served_under_its_number_and_waits_no_more(shop: Shop) -> None:
    [older, newest] = list_numbers(shop.serving)
    [before] = list_versions(shop.serving)
    change = promote(shop.workspace, None, "looks good")
    assert (change.run_key, change.before, change.candidate) == ("three", before, "")
    assert "@" in change.by
    assert (shop.served(), change.version) == ("three", newest)
    assert (change.action, change.reason, change.run) == ("promote", "looks good", "run-three")
    assert list_numbers(shop.serving) == [older], "a rollback must not find it waiting again"
    compared = find_record(shop.serving, "baseline", "three")
    assert compared is not None
    assert compared.run_key == "one"
    config = Path(shop.serving, "models.config").read_text()
    assert f"versions: {newest} " in config
    assert 'name: "shop"' in config


def test_a_candidate_of_one_machine_is_served_by_another_one(
    tmp_path: Path, bucket: Bucket
) -> None:
    one, two = (Shop(tmp_path / name, store=bucket.url("shop")) for name in ("one", "two"))
    number = one.wait_on_store("first")
    assert [v.state for v in listing.list_versions(two.workspace)] == ["waiting"]
    assert promote(two.workspace, None).version == number
    assert two.served() == "first"
    listed = listing.list_versions(one.workspace)
    assert [(v.version, v.state) for v in listed] == [(number, "served")]
    assert listed[0].bytes == len("first")


def test_the_first_candidate_of_a_directory_can_be_served(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.wait("one")
    change = promote(shop.workspace, None)
    assert_is_signed(change)
    assert (shop.served(), change.before) == ("one", "")
    assert 'name: "shop"' in Path(shop.serving, "models.config").read_text()


def assert_is_signed(change: Change) -> None:
    """Checks that the record tells who changed the served model, and when."""
    assert "@" in change.by
    assert datetime.fromisoformat(change.at).tzinfo == timezone.utc


def test_a_candidate_that_was_compared_with_another_model_is_refused_unless_forced(
    shop: Shop,
) -> None:
    older, _ = list_numbers(shop.serving)
    promote(shop.workspace, None)
    served = read_changes(shop.serving).list_served()
    compared = rf"candidate {older} was compared with version {served[0]}, "
    with pytest.raises(ConfigError, match=rf"{compared}but version {served[1]} is served") as error:
        promote(shop.workspace, older)
    assert "run again" in error.value.hint
    assert shop.served() == "three"
    change = promote(shop.workspace, older, force=True)
    assert shop.served() == "two"
    # Model servers without models.config load the highest number.
    assert change.version == list_versions(shop.serving)[-1]
    assert change.candidate == older
    assert read_changes(shop.serving).rename_candidate(older) == change.version


def test_a_candidate_that_was_compared_with_no_model_is_refused_over_a_served_one(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    older, newest = shop.wait("one"), shop.wait("two")
    promote(shop.workspace, newest)
    with pytest.raises(
        ConfigError, match=f"compared with no model, .* but version {newest} is served now"
    ):
        promote(shop.workspace, older)
    assert shop.served() == "two"


def test_a_candidate_whose_baseline_lost_its_pointer_is_refused(shop: Shop) -> None:
    older, _ = list_numbers(shop.serving)
    Path(shop.serving, "served.json").unlink()
    with pytest.raises(ConfigError, match=r"compared with version .* but nothing is served now"):
        promote(shop.workspace, older)


def test_a_candidate_that_repeats_the_served_training_is_refused_unless_forced(
    tmp_path: Path,
) -> None:
    """Both were compared with one baseline, and never with each other."""
    shop = Shop(tmp_path)
    with_exports, plain = shop.wait("one", exports_key="onnx"), shop.wait("one")
    write_weights(shop, with_exports, "other weights")
    write_weights(shop, plain, "weights")
    promote(shop.workspace, plain)
    with pytest.raises(ConfigError, match="repeats the training of version"):
        promote(shop.workspace, with_exports)
    # The same model needs no comparison for its exports. TensorFlow numbers its graph anew.
    write_weights(shop, with_exports, "weights")
    Path(read_candidate(shop.serving, with_exports).place("model"), "saved_model.pb").write_text(
        "eno"
    )
    promote(shop.workspace, with_exports)
    again = shop.wait("one")
    write_weights(shop, again, "other weights")
    assert promote(shop.workspace, again, force=True).version == again


def write_weights(shop: Shop, number: str, content: str) -> None:
    Path(read_candidate(shop.serving, number).place("model"), "weights").write_text(content)


def test_an_equal_model_waits_once_and_old_candidates_are_removed(tmp_path: Path) -> None:
    shop = Shop(tmp_path, keep=2)
    for name in ("one", "two", "two", "three"):
        shop.wait(name)
    assert [c.record.run_key for c in list_waiting(shop.serving)] == ["two", "three"]


def test_promotions_keep_as_many_versions_as_pushes(tmp_path: Path) -> None:
    shop = Shop(tmp_path, keep=2)
    for name in ("one", "two", "three", "four"):
        shop.wait(name)
        promote(shop.workspace, None)
    assert len(list_versions(shop.serving)) == 3, "two, and the baseline of the one before"


def test_a_withdrawn_version_comes_back_and_its_key_is_free(shop: Shop) -> None:
    promoted = promote(shop.workspace, None)
    roll_back(shop.workspace, None)
    assert resolve_withdrawal(shop.serving, "three")
    models_config = Path(shop.serving, "models.config")
    models_config.unlink()
    change = promote(shop.workspace, promoted.version, "it was the network")
    assert 'name: "shop"' in models_config.read_text()
    assert (shop.served(), change.version) == ("three", promoted.version)
    assert_is_signed(change)
    assert (change.action, change.run) == ("promote", "run-three")
    assert (change.reason, change.before) == ("it was the network", promoted.before)
    assert resolve_withdrawal(shop.serving, "three") == ""
    roll_back(shop.workspace, None)
    assert shop.served() == "one"


def test_without_a_candidate_the_version_that_was_withdrawn_last_is_proposed(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    _, two, three = (shop.push(name) for name in ("one", "two", "three"))
    for last in (three, two):
        roll_back(shop.workspace, None)
        with pytest.raises(ConfigError, match="no candidate waits") as error:
            promote(shop.workspace, None)
        assert f"`promote {last}` serves the withdrawn version again" in error.value.hint


def test_a_withdrawn_version_of_a_store_comes_back_on_a_machine_that_never_had_it(
    tmp_path: Path, bucket: Bucket
) -> None:
    one, two = (Shop(tmp_path / name, store=bucket.url("shop")) for name in ("one", "two"))
    _, second = (one.push_to_store(name) for name in ("first", "second"))
    roll_back(one.workspace, None)
    promote(two.workspace, second)
    assert two.served() == "second"


def test_a_withdrawn_version_is_not_put_over_a_newer_model(shop: Shop) -> None:
    promoted = promote(shop.workspace, None)
    roll_back(shop.workspace, None)
    shop.push("four")
    with pytest.raises(ConfigError, match="were never compared"):
        promote(shop.workspace, promoted.version)
    promote(shop.workspace, promoted.version, force=True)
    assert shop.served() == "three"


def test_what_neither_waits_nor_is_withdrawn_is_refused_with_the_right_command(shop: Shop) -> None:
    [one] = list_versions(shop.serving)
    with pytest.raises(ConfigError, match="is served already"):
        promote(shop.workspace, one)
    with pytest.raises(ConfigError, match="no candidate and no withdrawn version 17") as error:
        promote(shop.workspace, "17")
    assert error.value.hint == f"there are {', '.join(list_numbers(shop.serving))}"
    without_candidates = Shop(shop.root / "without")
    without_candidates.push("one")
    with pytest.raises(ConfigError, match="no candidate and no withdrawn version 17") as error:
        promote(without_candidates.workspace, "17")
    assert error.value.hint == "none waits, and none is withdrawn"
    promote(shop.workspace, None)
    with pytest.raises(ConfigError, match="served before") as error:
        promote(shop.workspace, one)
    assert f"rollback {one}" in error.value.hint
    empty = Shop(shop.root / "empty")
    with pytest.raises(ConfigError, match="no candidate waits"):
        promote(empty.workspace, None)


def test_a_candidate_with_a_lost_file_is_refused(shop: Shop) -> None:
    newest = list_waiting(shop.serving)[-1]
    Path(newest.place("model"), "saved_model.pb").write_text("")
    with pytest.raises(ConfigError, match="has lost files"):
        promote(shop.workspace, None)
    assert shop.served() == "one"


def test_a_candidate_is_not_served_in_place_of_a_lost_version_unless_forced(shop: Shop) -> None:
    served = read_pointer(shop.serving)
    assert served is not None
    Path(served.served_model, "saved_model.pb").unlink()
    with pytest.raises(ConfigError, match=f"version {served.version} is served, but"):
        promote(shop.workspace, None)
    promote(shop.workspace, None, force=True)
    assert shop.served() == "three"


def test_a_candidate_that_repeats_the_training_of_a_version_restores_its_lost_schema(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path / "shop")
    shop.push("one")
    shop.push("two")
    served = read_pointer(shop.serving)
    assert served is not None
    Path(served.served_schema, "file").unlink()
    Path(served.served_schema).rmdir()
    again = shop.wait("two", exports_key="onnx")
    Path(served.served_model, "weights").write_text("weights")
    write_weights(shop, again, "weights")
    assert promote(shop.workspace, again).version == again
    assert shop.served() == "two"


def test_another_version_can_be_served_in_place_of_a_lost_one(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    shop.push("one")
    lost = shop.push("two")
    Path(shop.serving, lost, "saved_model.pb").unlink()
    roll_back(shop.workspace, None)
    assert shop.served() == "one"


def test_a_promotion_killed_at_any_step_is_done_or_the_candidate_still_waits(
    shop: Shop, tmp_path: Path
) -> None:
    outcomes = set()
    copies: dict[int, Shop] = {}

    def make_act(step: int) -> object:
        copies[step] = shop.copy(tmp_path / str(step))
        return lambda: promote(copies[step].workspace, None)

    for step in kill_at_each_step(make_act):  # type: ignore[arg-type]
        killed = copies[step]
        outcomes.add(killed.served())
        waiting = [c.record.run_key for c in list_waiting(killed.serving)]
        if killed.served() == "one":
            assert waiting == ["two", "three"]
            promote(killed.workspace, None)
        else:
            assert waiting == ["two"]
        assert killed.served() == "three"
        killed.push("four")
        assert {p.name for p in Path(killed.serving).iterdir() if not p.name.isdigit()} == {
            "served.json", ".reference", ".push.lock", "models.config", ".waiting",
        }  # fmt: skip
        assert len(list_numbers(killed.serving)) == 1, "the promoted candidate is gone"
    assert outcomes == {"one", "three"}


def test_a_version_whose_pointer_is_lost_is_served_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    one, two, three = (shop.push(name) for name in ("one", "two", "three"))
    for file in ("served.json", "models.config"):
        Path(shop.serving, file).unlink()
    for lose in (lambda: promote(shop.workspace, None), lambda: roll_back(shop.workspace, None)):
        with pytest.raises(ConfigError, match=rf"is gone.*\({one}, {two}, {three}\)"):
            lose()
    change = promote(shop.workspace, two, "the last good one")
    assert (shop.served(), change.withdrawn) == ("two", {three: "three"})
    assert (change.action, change.run_key) == ("rollback", "two")
    assert change.reason == "the last good one"
    assert_is_signed(change)
    assert f'name: "{tmp_path.name}"' in Path(shop.serving, "models.config").read_text()
    assert resolve_withdrawal(shop.serving, "three"), "an unchanged run must not push it again"
    assert resolve_withdrawal(shop.serving, "one") == ""
    compared = find_record(shop.serving, "baseline", "four")
    assert compared is not None
    assert compared.version == two
    assert promote(shop.workspace, three).version == three
    change = roll_back(shop.workspace, one)
    assert (change.version, change.withdrawn) == (one, {two: "two", three: "three"})


def test_the_newest_version_whose_pointer_is_lost_withdraws_nothing(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.push("one")
    newest = shop.push("two")
    Path(shop.serving, "served.json").unlink()
    change = promote(shop.workspace, newest)
    assert (shop.served(), change.action, change.withdrawn) == ("two", "promote", {})


def test_a_damaged_record_of_a_newer_version_does_not_keep_an_older_one_from_being_served(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    one, two = (shop.push(name) for name in ("one", "two"))
    Path(shop.serving, "served.json").unlink()
    Path(shop.serving, ".reference", two, "served.json").write_text("{")
    change = promote(shop.workspace, one)
    assert (shop.served(), change.withdrawn) == ("one", {two: ""})
