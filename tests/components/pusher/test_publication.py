"""The Pusher, `promote` and `rollback` make a version the served version in the same steps."""

from pathlib import Path

from components.pusher.publication import prune, publish
from components.pusher.versions import push_version
from components.served_model.changes import Change, read_changes
from components.served_model.pointer import read_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.version_records import find_version_record


def push(serving: Path, name: str, baseline: ServedRecord | None = None) -> ServedRecord:
    model = serving.parent / name
    (model / "below").mkdir(parents=True)
    places = {"schema": str(model), "statistics": str(model)}
    version = push_version(str(model), places, str(serving))
    record = ServedRecord(version, name, "e", "s", "c", "{}", "d", name, baseline=baseline)
    publish(str(serving), record, Change("push", version, name, "now"), "shop")
    return record.with_directory(str(serving))


def test_pointer_record_change_and_config_name_the_version(tmp_path: Path) -> None:
    serving = tmp_path / "serving"
    serving.mkdir()
    record = push(serving, "one")
    assert read_pointer(str(serving)) == find_version_record(str(serving), record.version) == record
    assert [c.version for c in read_changes(str(serving)).entries] == [record.version]
    assert f"versions: {record.version} " in (serving / "models.config").read_text()
    assert not (serving / ".pending").exists()


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
