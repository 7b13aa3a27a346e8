"""Machines that push to one store, in small: a model is two files."""

from __future__ import annotations

from pathlib import Path

from components.pusher.publication import prune, publish
from components.pusher.versions import push_version
from components.served_model.changes import Change, now
from components.served_model.lock import lock_serving
from components.served_model.pointer import read_pointer
from components.served_model.served_record import ServedRecord
from components.served_model.store.local_copy import LocalCopy
from pipeline.core.files import file_sizes
from pipeline.core.stores.remote import Remote


def make_machine(directory: Path, address: str) -> str:
    """Returns the copy of a machine that has never seen the store."""
    directory.mkdir(parents=True, exist_ok=True)
    LocalCopy.make(str(directory), address)
    return str(directory)


def push(serving: str, content: str, keep: int = 5) -> str:
    """Pushes a model as the Pusher does, and returns its version."""
    with lock_serving(serving):
        return push_locked(serving, content, keep)


def push_locked(serving: str, content: str, keep: int = 5) -> str:
    """Pushes a model; the caller holds the lock."""
    source = Path(serving).parent / f"sources-{content}"
    for name in ("model/variables", "schema", "statistics"):
        (source / name).mkdir(parents=True, exist_ok=True)
    (source / "model/saved_model.pb").write_text(f"graph of {content}")
    (source / "model/variables/variables.data").write_text(content * 1000)
    (source / "schema/schema.pbtxt").write_text("schema")
    (source / "statistics/stats").write_text("statistics")
    served = read_pointer(serving)
    reference = {name: str(source / name) for name in ("schema", "statistics")}
    version = push_version(str(source / "model"), reference, serving)
    record = ServedRecord(
        version, "model", "evaluation", "statistics", "schema", "{}", "data", f"key of {content}",
        file_sizes(str(Path(serving, version))), baseline=served and served.without_history(),
    )  # fmt: skip
    before = served.version if served else ""
    change = Change("push", version, record.push_key, now(), before=before)
    publish(serving, record, change, "taxi")
    prune(serving, keep, served)
    return version


def list_keys(address: str) -> list[str]:
    """Returns the keys of all objects below the address."""
    return sorted(found.key for found in Remote(address).list(""))


def list_numbers(address: str) -> set[str]:
    """Returns the numbers below which the store has files."""
    names = {key.split("/")[0] for key in list_keys(address)}
    return {name for name in names if name.isdigit()}


def read_served_graph(serving: str) -> str:
    """Returns the content of the served model; the copy must be whole."""
    record = read_pointer(serving)
    assert record is not None
    return Path(record.served_model, "saved_model.pb").read_text()
