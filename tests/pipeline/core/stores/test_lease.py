"""Two predictions never work in one output, and a killed one blocks nobody for long."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import pytest
from faulty_server import FaultyServer
from object_store import Bucket

from pipeline.core.errors import ConfigError
from pipeline.core.stores import lease
from pipeline.core.stores.client import forget_stores
from pipeline.core.stores.lease import LostLeaseError, hold_lease, refuse_lost
from pipeline.core.stores.remote import Remote

KEY = ".prediction/.owner"


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_RENEWAL_SECONDS", 0.1)
    monkeypatch.setattr(lease, "_WATCH_SECONDS", 1.0)


@contextlib.contextmanager
def killed(address: str) -> Iterator[None]:
    """Leaves a mark as a killed prediction does: nobody renews it."""
    holder = lease._Lease(Remote(address), KEY, "prediction")
    holder.acquire()
    yield


def wait_until_lost(address: str) -> None:
    for _ in range(100):
        time.sleep(0.05)
        refuse_lost(address)


def test_a_lease_that_is_held_is_refused_and_free_after_its_end(bucket: Bucket) -> None:
    address = bucket.url("out")
    with hold_lease(address, KEY, "prediction"):
        with pytest.raises(ConfigError, match="another prediction is at work here"):
            lease._Lease(Remote(address), KEY, "prediction").acquire()
        time.sleep(0.3)
        refuse_lost(address)
    started = time.monotonic()
    with hold_lease(address, KEY, "prediction"):
        pass
    assert time.monotonic() - started < 0.9


def test_the_mark_of_a_killed_prediction_is_taken_over_after_a_while(bucket: Bucket) -> None:
    address = bucket.url("out")
    with killed(address):
        started = time.monotonic()
        with hold_lease(address, KEY, "prediction"):
            assert time.monotonic() - started >= 1.0


def test_a_damaged_mark_is_replaced(bucket: Bucket) -> None:
    bucket.put(f"out/{KEY}", b"{")
    with hold_lease(bucket.url("out"), KEY, "prediction"):
        refuse_lost(bucket.url("out"))


def test_a_prediction_that_was_suspended_learns_that_it_lost_its_lease(bucket: Bucket) -> None:
    address = bucket.url("out")
    with hold_lease(address, KEY, "prediction"):
        bucket.put(f"out/{KEY}", b'{"token": "other"}')
        with pytest.raises(LostLeaseError, match="taken the output over"):
            wait_until_lost(address)
    # It does not free what another one holds now.
    found = Remote(address).read(KEY)
    assert found is not None
    assert found[0] == b'{"token": "other"}'


def test_lost_answers_and_refusals_of_the_store_lose_no_lease(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, faults = FaultyServer(bucket.endpoint), ["lose answer", "", "refuse", "lose answer"]
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    forget_stores()
    address = bucket.url("out")
    with (
        contextlib.closing(server),
        server.failing(lambda method, _: faults.pop(0) if method == "PUT" and faults else ""),  # type: ignore[arg-type,return-value]
        hold_lease(address, KEY, "prediction"),
    ):
        for _ in range(100):
            time.sleep(0.05)
            refuse_lost(address)
            if not faults:
                break
        assert faults == []


def test_a_mark_that_was_put_without_an_answer_is_still_ours(bucket: Bucket) -> None:
    holder = lease._Lease(Remote(bucket.url("out")), KEY, "prediction")
    holder.acquire()
    condition = holder._condition
    assert holder._put(holder._token)
    # Nobody heard that the store took the mark: all answers were lost.
    holder._condition = condition
    assert holder._put(holder._token)
    holder._condition = condition
    holder.release()
    found = Remote(bucket.url("out")).read(KEY)
    assert found is not None
    assert b'"token": ""' in found[0]
