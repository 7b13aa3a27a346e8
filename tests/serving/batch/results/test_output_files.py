"""An output on a store does what an output on a file system does."""

from pathlib import Path

import pytest
from object_store import Bucket

from serving.batch.results.directory_files import DirectoryFiles
from serving.batch.results.output_files import OutputFiles, open_output
from serving.batch.results.store_files import StoreFiles


@pytest.fixture(params=["directory", "store"])
def files(request: pytest.FixtureRequest, tmp_path: Path, bucket: Bucket) -> OutputFiles:
    return open_output(bucket.url("out") if request.param == "store" else str(tmp_path / "out"))


def test_the_output_says_what_its_files_lie_on(tmp_path: Path, bucket: Bucket) -> None:
    assert isinstance(open_output(str(tmp_path)), DirectoryFiles)
    stored = open_output(bucket.url("out"))
    assert isinstance(stored, StoreFiles)
    assert stored.locate("a/b") == f"s3://{bucket.name}/out/a/b"


def test_files_are_written_read_listed_and_removed(files: OutputFiles) -> None:
    name = "deep/a b%20#1 größe.json"
    assert (files.read(name), files.measure(name), files.list("")) == (None, None, [])
    files.write(name, b"first", durable=True)
    files.write(name, b"second", durable=False)
    files.write("deep.json", b"", durable=False)
    assert (files.read(name), files.measure(name)) == (b"second", 6)
    assert files.list("deep") == [name]
    assert sorted(files.list("")) == sorted([name, "deep.json"])
    assert list(files.map(files.measure, ["deep.json", name])) == [0, 6]
    for _ in range(2):
        files.remove(name)
    assert files.list("") == ["deep.json"]
    files.sync(["deep.json"])


def test_a_staged_file_is_seen_only_when_it_is_whole(files: OutputFiles) -> None:
    files.write("a", b"old", durable=False)

    def write(content: bytes) -> None:
        with files.stage("a") as sink:
            if isinstance(sink, str):
                Path(sink).write_bytes(content)
            else:
                sink.write(content)
            assert files.read("a") == b"old"
            if content == b"bad":
                raise RuntimeError

    with pytest.raises(RuntimeError):
        write(b"bad")
    assert files.read("a") == b"old"
    write(b"new")
    assert (files.read("a"), files.list("")) == (b"new", ["a"])
