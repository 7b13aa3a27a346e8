"""An object is read as a file, whatever a network does to the requests."""

import io
import random

import pytest
from object_store import Bucket, Fault, Proxy

from pipeline.core.errors import DataError, PipelineError
from pipeline.core.stores import client, reading
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.listing import StoreObject, find_object
from pipeline.core.stores.reading import ObjectReader

CONTENT = random.Random(0).randbytes(3_000_000)


@pytest.fixture
def table(bucket: Bucket) -> StoreObject:
    return find_object(parse_address(bucket.put("t.bin", CONTENT)))


def test_a_reader_gives_the_bytes_of_the_object(table: StoreObject) -> None:
    with ObjectReader(table) as file:
        assert file.read() == CONTENT
        assert file.read(1) == b""
    with io.BufferedReader(ObjectReader(table)) as file:
        assert b"".join(iter(lambda: file.read(70_001), b"")) == CONTENT


def test_a_reader_jumps_as_a_file_does(table: StoreObject) -> None:
    numbers = random.Random(1)
    with ObjectReader(table) as file, io.BytesIO(CONTENT) as same:
        for _ in range(60):
            position, size = numbers.randrange(3_100_000), numbers.randrange(400_000)
            whence = numbers.choice([io.SEEK_SET, io.SEEK_SET, io.SEEK_CUR])
            assert file.seek(position, whence) == same.seek(position, whence)
            assert file.read(size) == same.read(size)
            assert file.tell() == same.tell()
        assert file.seek(-5, io.SEEK_END) == 2_999_995
        with pytest.raises(ValueError, match="negative"):
            file.seek(-1)


def test_a_part_costs_no_whole_download(table: StoreObject, proxy: Proxy) -> None:
    with ObjectReader(table) as file:
        file.seek(-1000, io.SEEK_END)
        assert file.read() == CONTENT[-1000:]
        file.seek(100)
        file.read(1000)
        file.read(1000)
    ranges = [asked for method, _, asked in proxy.requests if method == "GET"]
    assert ranges == ["bytes=2999000-2999999", "bytes=100-262243"]


def test_pieces_grow_while_a_reader_goes_on(table: StoreObject, proxy: Proxy) -> None:
    with ObjectReader(table) as file:
        assert file.read(1000) == CONTENT[:1000]
        assert file.read() == CONTENT[1000:]
    starts = sorted(int(asked[6:].partition("-")[0]) for _, _, asked in proxy.requests if asked)
    assert starts == [0, 262_144, 786_432, 1_310_720, 1_835_008, 2_359_296]


def test_a_large_object_is_fetched_in_pieces_of_bounded_size(
    table: StoreObject, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MOST_BYTES", 300_000)
    with ObjectReader(table) as file:
        assert file.read(3_000_000) == CONTENT
    assert len([method for method, _, _ in proxy.requests if method == "GET"]) == 10


@pytest.mark.parametrize("fault", ["503", "dropped", "truncated"])
def test_a_disturbed_request_is_repeated(table: StoreObject, proxy: Proxy, fault: Fault) -> None:
    proxy.faults = [fault, fault]
    with ObjectReader(table) as file:
        assert file.read() == CONTENT


def test_a_slow_answer_is_given_up_and_asked_for_again(
    table: StoreObject, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_TIMEOUTS", {"timeout": "1s"})
    client.forget_stores()
    proxy.faults = ["slow"]
    with ObjectReader(table) as file:
        assert file.read(100) == CONTENT[:100]
    assert [asked for _, _, asked in proxy.requests] == ["bytes=0-262143"] * 2


@pytest.mark.parametrize("fault", ["503", "truncated", "dropped"])
def test_a_store_that_never_recovers_ends_in_a_sentence(
    table: StoreObject, proxy: Proxy, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_RETRIES", {**client._RETRIES, "max_retries": 1})
    client.forget_stores()
    proxy.forever = fault
    with (
        ObjectReader(table) as file,
        pytest.raises(
            PipelineError, match=r"t\.bin: (the store .* again and again|no answer from)"
        ),
    ):
        file.read()


def test_a_changed_object_is_refused(bucket: Bucket, table: StoreObject) -> None:
    with ObjectReader(table) as file:
        file.read(10)
        bucket.put("t.bin", CONTENT[::-1])
        file.seek(2_000_000)
        with pytest.raises(DataError, match=r"t\.bin: the file was changed while it was read"):
            file.read(10)


def test_a_server_that_ignores_conditions_deceives_nobody(
    bucket: Bucket, table: StoreObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put("t.bin", CONTENT[::-1])
    options = {"range": (0, 10)}
    monkeypatch.setattr(ObjectReader, "_options", lambda *unused: options)
    with ObjectReader(table) as file, pytest.raises(DataError, match="changed while"):
        file.read(10)


def test_an_empty_object_is_an_empty_file(bucket: Bucket) -> None:
    empty = find_object(parse_address(bucket.put("empty", b"")))
    with ObjectReader(empty) as file:
        assert file.read() == b""
