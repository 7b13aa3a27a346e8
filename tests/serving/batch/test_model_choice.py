from pathlib import Path

import pytest
from machines import make_machine, push
from object_store import Bucket

from pipeline.core.errors import ConfigError
from serving.batch.model_choice import choose_model


def test_the_pointer_a_version_or_a_path_chooses_the_model(pushed: Path) -> None:
    assert choose_model(pushed, None).version == "1"
    assert choose_model(pushed, "2").directory == str(pushed / "2")
    assert choose_model(None, str(pushed)).version == "1"
    assert choose_model(pushed, str(pushed / "2")).version == "2"


def test_a_model_that_is_not_there_is_named(pushed: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--model 3: .* has no such version") as raised:
        choose_model(pushed, "3")
    assert raised.value.hint == "its versions are 1, 2"
    with pytest.raises(ConfigError, match="no model is served here yet"):
        choose_model(tmp_path, None)
    with pytest.raises(ConfigError, match="give --config, --workspace or --model"):
        choose_model(None, None)


def test_a_version_on_a_store_is_downloaded(
    tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    address = bucket.url("models/taxi")
    pusher = make_machine(tmp_path / "one/serving", address)
    first, second = push(pusher, "a"), push(pusher, "b")
    copy = make_machine(tmp_path / "two/serving", address)
    for chosen, version in (
        (choose_model(Path(copy), None), second),
        (choose_model(Path(copy), first), first),
        (choose_model(None, address), second),
    ):
        assert chosen.version == version
        assert Path(chosen.directory, "saved_model.pb").exists()
    with pytest.raises(ConfigError, match=r"--model 3: .* has no such version"):
        choose_model(Path(copy), "3")
