"""Which version the server should serve."""

from pathlib import Path

import pytest
from machines import make_machine, push
from object_store import Bucket
from pushed_models import point_to

from components.served_model.store.refreshing import refresh
from pipeline.core.errors import ConfigError
from serving.processes.sources import open_source


def test_the_pointer_names_the_version_and_changes_are_seen(serving: Path) -> None:
    source = open_source(serving)
    assert source.has_changed()
    version = source.read()
    assert (version.version, version.directory) == ("1", str(serving / "1"))
    assert Path(version.statistics).is_dir()
    assert version.positive_class == "yes"
    assert not source.has_changed()
    point_to(serving, "2")
    assert source.has_changed()
    assert source.read().version == "2"
    (serving / "served.json").unlink()
    assert source.has_changed()
    with pytest.raises(ConfigError, match="no model is served"):
        source.read()
    assert not source.has_changed()


def test_a_version_that_is_not_whole_is_refused(serving: Path) -> None:
    with open(serving / "1" / "saved_model.pb", "ab") as file:
        file.write(b"x")
    with pytest.raises(ConfigError, match="damaged, it has"):
        open_source(serving).read()
    (serving / "1" / "saved_model.pb").unlink()
    with pytest.raises(ConfigError, match="No such file"):
        open_source(serving).read()


def test_a_server_follows_the_pointer_on_a_store(tmp_path: Path, bucket: Bucket) -> None:
    address = bucket.url("models/taxi")
    pusher = make_machine(tmp_path / "one/serving", address)
    copy = make_machine(tmp_path / "two/serving", address)
    source = open_source(Path(copy))
    with pytest.raises(ConfigError, match="no model is served"):
        source.read()
    first = push(pusher, "a")
    assert source.has_changed()
    version = source.read()
    assert (version.version, version.directory) == (first, f"{copy}/{first}")
    assert not source.has_changed()
    second = push(pusher, "b")
    # A command on the machine of the server makes the copy as the store is, too.
    refresh(copy)
    assert source.has_changed()
    assert source.read().version == second
    assert not source.has_changed()


def test_a_saved_model_is_a_fixed_version(serving: Path) -> None:
    source = open_source(serving / "2")
    assert (source.read().version, source.read().positive_class) == ("2", "")
    assert not source.has_changed()
    named = serving / "2"
    named.rename(serving / "mine")
    assert open_source(serving / "mine").read().version == "1"


def test_the_output_directory_of_a_run_leads_to_its_serving_directory(serving: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        open_source(serving.parent).read()
    assert caught.value.hint == f"did you mean {serving}?"


def test_an_absent_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such directory"):
        open_source(tmp_path / "absent")
