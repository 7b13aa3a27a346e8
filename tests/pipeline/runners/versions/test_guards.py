"""`rollback` and `promote` change nothing that another process has changed meanwhile."""

from pathlib import Path

import pytest
from shop_versions import Shop

from components.served_model.served_record import read_pointer_file
from pipeline.core.errors import ConfigError
from pipeline.runners.versions.guards import read_served, refuse_if_changed


def test_a_change_meanwhile_is_refused(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    refuse_if_changed(shop.serving, None)
    shop.push("one")
    with pytest.raises(ConfigError, match="nothing was changed"):
        refuse_if_changed(shop.serving, None)
    seen = read_pointer_file(shop.serving)
    refuse_if_changed(shop.serving, seen)
    shop.push("two")
    with pytest.raises(ConfigError, match="nothing was changed"):
        refuse_if_changed(shop.serving, seen)


def test_a_directory_without_a_served_model_says_whether_a_candidate_waits(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with pytest.raises(ConfigError, match=r"no model is served here$") as error:
        read_served(shop.serving)
    assert "`run`" in error.value.hint
    shop.wait("one")
    with pytest.raises(ConfigError) as error:
        read_served(shop.serving)
    assert "`promote` serves it" in error.value.hint
