"""The section `label`."""

from pathlib import Path

from small_config import load


def test_classes_are_read_as_text(tmp_path: Path) -> None:
    # YAML 1.2 keeps no and yes as text; true and 1 are not.
    assert load(tmp_path).label.classes == ("no", "yes")
    assert load(tmp_path, "label.classes=[0, 1]").label.classes == ("0", "1")
    assert load(tmp_path, "label.classes=[false, true]").label.classes == ("false", "true")
