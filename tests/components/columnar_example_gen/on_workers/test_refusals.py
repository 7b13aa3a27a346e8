"""A refusal is data, and becomes the error again that the worker met."""

import socket
from pathlib import Path

import pytest
from object_store import Bucket
from pydantic import TypeAdapter

from components.columnar_example_gen.on_workers.refusals import (
    Refusal,
    catch_refusal,
    choose_first,
)
from components.columnar_example_gen.parts import Part
from components.tables.typed_table import ContradictedTypeError
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.stores.listing import find_objects

PART = Part(3, (Path("t.csv"),))


@pytest.mark.parametrize(
    "error",
    [
        DataError("bad row", "mend it"),
        ConfigError("no file", "name a file"),
        ContradictedTypeError("n"),
    ],
)
def test_an_error_survives_as_data(error):
    def read() -> None:
        raise error

    refusal = catch_refusal(PART, read)
    kind = TypeAdapter(Refusal)
    again = kind.validate_json(kind.dump_json(refusal)).to_error()
    assert type(again) is type(error)
    assert again.args == error.args


def test_credentials_that_are_missing_on_a_worker_are_missing_there(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the message has set them on another machine."""
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    refusal = catch_refusal(PART, lambda: find_objects(bucket.url("t*.csv")))
    assert refusal is not None
    assert (refusal.part, refusal.kind) == (3, "config")
    assert refusal.message.startswith(f"on the worker {socket.gethostname()}: s3://")
    assert refusal.hint.startswith("on the workers: set AWS_ACCESS_KEY_ID")


def test_a_failure_of_the_machine_is_left_to_the_engine():
    def read() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        catch_refusal(PART, read)
    assert catch_refusal(PART, lambda: None) is None


def test_the_refusal_of_the_earlier_part_is_chosen():
    early, late = Refusal(1, "data", "a"), Refusal(2, "config", "b")
    assert choose_first(late, early) == choose_first(early, late) == early
    assert choose_first(None, late) == choose_first(late, None) == late
    assert choose_first(None, None) is None
