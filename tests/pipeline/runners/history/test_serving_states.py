"""Past runs show what became of their versions."""

from pathlib import Path

from shop_versions import Shop

from pipeline.runners.history.serving_states import ServingStates
from pipeline.runners.versions.promote import promote
from pipeline.runners.versions.rollback import roll_back


def test_versions_are_served_now_or_before_withdrawn_or_waiting(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    one, two = shop.push("one"), shop.push("two")
    roll_back(shop.workspace, None)
    three, four = shop.push("three"), shop.wait("four")
    states = ServingStates.read(Path(shop.serving), three)
    told = {v: states.describe(v, waited=v == four)[1] for v in (one, two, three, four)}
    assert told == {one: "before", two: "withdrawn", three: "now", four: "waiting"}
    assert states.describe("17", waited=True) == ("17", ""), "nobody promoted it"


def test_a_promoted_candidate_is_shown_with_its_new_number(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    waited, newer = shop.wait("one"), shop.push("two")
    version = promote(shop.workspace, waited, force=True).version
    assert int(version) > int(newer) > int(waited)
    states = ServingStates.read(Path(shop.serving), version)
    assert states.describe(waited, waited=True) == (version, "now")
