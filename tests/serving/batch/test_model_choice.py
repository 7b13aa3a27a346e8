from pathlib import Path

import pytest

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
