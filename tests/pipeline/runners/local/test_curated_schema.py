"""The curated schema is written where the user asks for it."""

from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.local.curated_schema import write_schema


def test_a_schema_replaces_the_earlier_one_in_a_new_directory(tmp_path: Path) -> None:
    path = tmp_path / "new" / "taxi.schema.pbtxt"
    write_schema(path, "feature {}\n")
    write_schema(path, "feature { name: 'größe' }\n")
    assert path.read_text(encoding="utf-8") == "feature { name: 'größe' }\n"
    assert [p.name for p in path.parent.iterdir()] == ["taxi.schema.pbtxt"]


def test_a_schema_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file/schema\.pbtxt cannot be written: "):
        write_schema(tmp_path / "file" / "schema.pbtxt", "")
