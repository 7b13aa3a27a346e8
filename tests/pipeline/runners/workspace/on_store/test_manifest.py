"""The list of all files of an output."""

from __future__ import annotations

import pytest

from pipeline.core.errors import ConfigError
from pipeline.core.stores.entry import Entry
from pipeline.runners.workspace.on_store.manifest import (
    Manifest,
    find_unit,
    is_settled,
    key_of,
    name_unit,
)

MODEL = "artifacts/20260301/Trainer/model/7"
ONE = Entry(3, "abc")


def test_a_manifest_is_read_as_it_was_written() -> None:
    manifest = Manifest(
        {f"{MODEL}/a": ONE}, frozenset({MODEL}), "s3://b/models", "/x"
    ).with_new_token()
    assert Manifest.parse(manifest.to_bytes(), "there") == manifest
    assert manifest.has_same_content(manifest.with_new_token())
    assert not manifest.has_same_content(Manifest({}, frozenset({MODEL}), "s3://b/models"))


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 2}', b'{"format": 1}'])
def test_a_damaged_manifest_is_named(content: bytes) -> None:
    with pytest.raises(ConfigError, match="damaged, or written by another release"):
        Manifest.parse(content, "s3://b/output.json")


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        (f"{MODEL}/Format-Serving/saved_model.pb", MODEL),
        (f"{MODEL}/a", MODEL),
        (MODEL, ""),
        ("logs/20260301/run.log", ""),
        ("metadata.db", ""),
    ],
)
def test_files_of_artifacts_belong_to_a_unit(path: str, unit: str) -> None:
    assert find_unit(path) == unit


@pytest.mark.parametrize(
    ("path", "key", "settled"),
    [
        ("metadata.db", "objects/abc", True),
        ("backups/x/checkpoint", "objects/abc", True),
        (f"{MODEL}/a", "objects/abc", True),
        ("logs/1/run.log", "logs/1/run.log", False),
        ("report.html", "report.html", False),
    ],
)
def test_files_that_must_fit_each_other_are_named_by_their_bytes(
    path: str, key: str, settled: bool
) -> None:
    assert key_of(path, ONE) == key
    assert is_settled(path) == settled


@pytest.mark.parametrize(
    ("uri", "unit"),
    [
        (f"/home/a/.cache/run-outputs/0a/{MODEL}", MODEL),
        (f"/elsewhere/{MODEL}/", MODEL),
        ("/home/a/serving/17", ""),
    ],
)
def test_an_artifact_of_any_machine_has_the_same_unit(uri: str, unit: str) -> None:
    assert name_unit(uri) == unit
