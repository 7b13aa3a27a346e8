"""A version of an earlier release is served again with the record that its run kept."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from recorded_workspace import MADE, RecordedWorkspace
from shop_versions import Shop

from components.served_model.served_record import ServedRecord
from pipeline.core.errors import ConfigError
from pipeline.runners.versions.records import find_any_record, require_record
from pipeline.runners.versions.rollback import roll_back


@pytest.fixture
def earlier(tmp_path: Path) -> Shop:
    """Three versions as an earlier release left them: a pointer without changes, no records."""
    shop = Shop(tmp_path / "out")
    for name in ("one", "two", "three"):
        shop.push(name)
    serving = Path(shop.serving)
    content = json.loads((serving / "served.json").read_text())
    del content["changes"]
    (serving / "served.json").write_text(json.dumps(content))
    for path in (*serving.glob(".reference/*/served.json"), serving / "models.config"):
        path.unlink()
    return shop


def numbers(shop: Shop) -> list[str]:
    return sorted(p.name for p in Path(shop.serving).iterdir() if p.name.isdigit())


def test_the_baseline_of_the_served_version_can_be_served_again(earlier: Shop) -> None:
    one, two, three = numbers(earlier)
    change = roll_back(earlier.workspace, None)
    assert (change.version, change.before, change.withdrawn) == (two, three, {three: "three"})
    assert earlier.served() == "two"
    assert 'name: "out"' in Path(earlier.serving, "models.config").read_text()
    with pytest.raises(ConfigError, match=f"version {one} cannot become the served version"):
        roll_back(earlier.workspace, None)


def test_an_older_version_can_if_its_run_is_still_there(earlier: Shop) -> None:
    one, *_ = numbers(earlier)
    recorded = RecordedWorkspace(earlier.root)
    recorded.run([*MADE], version=one)
    (push,) = recorded.store.get_artifacts_by_type("PushedModel")
    # The workspace was moved since: the metadata name its old place.
    place = earlier.workspace.find_artifact(push.uri)
    assert place is not None
    record = ServedRecord(one, "m", "e", "s", "c", "{}", "d", "one")
    # Its candidate waited under another number.
    waited = dataclasses.replace(record, version="7")
    (place / "served.json").write_text(waited.to_json())
    assert find_any_record(earlier.workspace, one) == record.with_directory(earlier.serving)
    assert roll_back(earlier.workspace, one).version == one
    assert earlier.served() == "one"
    shutil.rmtree(place)
    assert require_record(earlier.workspace, one).run_key == "one", "a copy is kept now"


def test_the_own_baseline_is_taken_from_the_run(earlier: Shop) -> None:
    one, two, _ = numbers(earlier)
    recorded = RecordedWorkspace(earlier.root)
    recorded.run([*MADE], version=two)
    (push,) = recorded.store.get_artifacts_by_type("PushedModel")
    found = find_any_record(earlier.workspace, two)
    assert found is not None
    assert found.baseline is None
    baseline = dataclasses.replace(found, version=one, run_key="one")
    whole = dataclasses.replace(found, baseline=baseline)
    Path(push.uri, "served.json").write_text(whole.to_json())
    assert find_any_record(earlier.workspace, two) == whole


def test_a_run_that_pushed_another_model_under_the_same_number_lends_it_no_baseline(
    earlier: Shop,
) -> None:
    """Two pipelines may have pushed to two directories within one second."""
    _, two, _ = numbers(earlier)
    recorded = RecordedWorkspace(earlier.root)
    recorded.run([*MADE], version=two)
    (push,) = recorded.store.get_artifacts_by_type("PushedModel")
    found = find_any_record(earlier.workspace, two)
    assert found is not None
    other = dataclasses.replace(found, run_key="other", baseline=found)
    Path(push.uri, "served.json").write_text(other.to_json())
    assert find_any_record(earlier.workspace, two) == found
