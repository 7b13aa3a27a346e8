"""The job of a worker process, apart from its code: the supervisor must not import TensorFlow."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Job:
    """What a worker needs to know when it starts."""

    name: str
    """The model's name."""
    threads: int
    """The cores that one operation of the model may use."""
    listener: int
    """The descriptor of the bound socket."""
    channel: int
    """The descriptor of the socket to the supervisor."""
    rpc_address: str
    """`host:port` for gRPC; empty if the server offers none."""
    settings: str
    """The section `serving.server` as JSON."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))
