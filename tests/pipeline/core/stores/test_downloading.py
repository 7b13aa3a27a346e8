"""Downloaded files are in their place only when their bytes are right."""

from __future__ import annotations

from pathlib import Path

import pytest
from object_store import Bucket

from pipeline.core.errors import PipelineError
from pipeline.core.stores.downloading import download
from pipeline.core.stores.entry import Entry
from pipeline.core.stores.remote import Remote


def test_a_large_file_is_downloaded_and_checked(bucket: Bucket, tmp_path: Path) -> None:
    remote, source = Remote(bucket.url("models")), tmp_path / "source"
    source.write_bytes(b"0123456789" * (2 << 20))
    remote.upload(source, "1/large")
    target = tmp_path / "new/deeper/target"
    download(remote, "1/large", target, tmp_path / "part", Entry.of(source), "ask")
    assert Entry.of(target) == Entry.of(source)
    with pytest.raises(PipelineError, match="1/large: the object is not the one") as caught:
        download(remote, "1/large", target, tmp_path / "part", Entry(4, "abc"), "push again")
    assert caught.value.hint == "somebody changed or cut the object; push again"


def test_an_empty_file_is_downloaded(bucket: Bucket, tmp_path: Path) -> None:
    remote, source = Remote(bucket.url("models")), tmp_path / "source"
    source.touch()
    remote.upload(source, "1/empty")
    download(remote, "1/empty", tmp_path / "target", tmp_path / "part", Entry.of(source), "ask")
    assert (tmp_path / "target").read_bytes() == b""
