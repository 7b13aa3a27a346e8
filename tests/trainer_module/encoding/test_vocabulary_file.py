"""The file with the vocabularies of all columns."""

from __future__ import annotations

from pathlib import Path

from trainer_module.encoding.vocabulary_file import format_vocabularies, read_vocabularies


def test_formatted_vocabularies_are_read_again(tmp_path: Path) -> None:
    vocabularies = {
        "color": [b"red", b"a\tb", "größe".encode()],
        "empty": [],
        "size": [b"red"],
    }
    path = tmp_path / "vocabularies"
    path.write_bytes(format_vocabularies(vocabularies))
    assert path.read_bytes().startswith(b"color\ncolor\tred\ncolor\ta\tb\n")
    assert path.read_bytes().endswith(b"\nempty\nsize\nsize\tred\n.\n")
    assert read_vocabularies(str(path)) == {n: v for n, v in vocabularies.items() if v}


def test_without_a_file_there_are_no_vocabularies(tmp_path: Path) -> None:
    assert read_vocabularies(None) == read_vocabularies(str(tmp_path / "absent")) == {}
