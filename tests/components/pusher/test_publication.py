"""The Pusher, `promote` and `rollback` make a version the served version in the same steps."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kills import kill_at_each_step

from components.predictions.deciding_metrics import DecidingMetrics, write_deciding_metrics
from components.predictions.estimates import Estimate
from components.push_history.history import read_pushes
from components.pusher.publication import prune, publish
from components.pusher.versions import push_version, remove_unfinished_push
from components.served_model.changes import Change, read_changes
from components.served_model.pointer import read_pointer, write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.version_records import find_version_record


def push(
    serving: Path, name: str, baseline: ServedRecord | None = None, evaluation: str = "e"
) -> ServedRecord:
    model = serving.parent / name
    (model / "below").mkdir(parents=True)
    places = {"schema": str(model), "statistics": str(model)}
    version = push_version(str(model), places, str(serving))
    record = ServedRecord(version, name, evaluation, "s", "c", "{}", "d", name, baseline=baseline)
    publish(str(serving), record, Change("push", version, name, "now"), "shop")
    return record.with_directory(str(serving))


def test_pointer_record_change_and_config_name_the_version(tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    record = push(serving, "one")
    assert read_pointer(str(serving)) == find_version_record(str(serving), record.version) == record
    assert [c.version for c in read_changes(str(serving)).entries] == [record.version]
    config = (serving / "models.config").read_text()
    assert f"versions: {record.version} " in config
    assert 'name: "shop"' in config
    assert not (serving / ".pending").exists()


def test_a_push_is_on_record_after_its_version_is_gone(tmp_path: Path) -> None:
    serving, auc = tmp_path / "serving", {"auc": Estimate(0.8, 0.7, 0.9)}
    serving.mkdir()
    write_deciding_metrics(str(tmp_path), DecidingMetrics("test", 100, {"auc": None}, auc, None))
    records = [push(serving, name, evaluation=str(tmp_path)) for name in ("one", "two", "three")]
    prune(str(serving), 1, None)
    assert not (serving / records[0].version).exists()
    pushes = read_pushes(str(serving))
    assert [p.version for p in pushes] == [record.version for record in records]
    assert pushes[0].metrics == auc
    # The served model, evaluated a second time, is no new push.
    publish(str(serving), records[-1], None, "shop")
    assert len(read_pushes(str(serving))) == 3


def test_a_push_is_on_record_if_its_version_is_served_wherever_it_was_killed(
    tmp_path: Path,
) -> None:
    auc = {"auc": Estimate(0.8, 0.7, 0.9)}
    write_deciding_metrics(str(tmp_path), DecidingMetrics("test", 100, {"auc": None}, auc, None))

    def make_act(step: int) -> Callable[[], object]:
        serving = tmp_path / str(step) / "serving"
        serving.mkdir(parents=True)
        return lambda: push(serving, "one", evaluation=str(tmp_path))

    endings = set()
    for step in kill_at_each_step(make_act):
        serving = str(tmp_path / str(step) / "serving")
        remove_unfinished_push(serving)
        served = read_pointer(serving)
        found = [(p.version, p.at) for p in read_pushes(serving)]
        assert found == ([(served.version, "now")] if served else []), step
        endings.add(bool(served))
    assert endings == {True, False}


def test_after_a_kill_models_config_names_the_version_of_the_pointer(tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    first = push(serving, "one")
    second = push_version(str(tmp_path / "one"), {}, str(serving))
    write_pointer(str(serving), replace(first, version=second))
    remove_unfinished_push(str(serving))
    assert f"versions: {second} " in (serving / "models.config").read_text()


def test_pruning_keeps_what_runs_read_that_began_before_the_push(tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    records = [push(serving, "one")]
    for name in ("two", "three", "four"):
        records.append(push(serving, name, baseline=records[-1].without_history()))
    prune(str(serving), 1, records[-2])
    left = {path.name for path in serving.iterdir() if path.name.isdigit()}
    assert left == {record.version for record in records[1:]}
    prune(str(serving), 1, None)
    left = {path.name for path in serving.iterdir() if path.name.isdigit()}
    assert left == {record.version for record in records[2:]}
