"""The sections `serving` and `prediction`: the pushed versions, their server, batch predictions."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.addresses import check_folder, check_path
from pipeline.config.base import Section

Mode = Literal["automatic", "manual"]


class ServerConfig(Section):
    """The model server: its address, processes, limits and files."""

    host: str = "127.0.0.1"
    """The address to listen on. `0.0.0.0` listens on all addresses of the machine."""
    port: int = Field(default=8501, ge=0, le=65535)
    """The port to listen on; 0 takes a free port."""
    grpc_port: int | None = Field(default=None, ge=0, le=65535)
    """The port of TensorFlow Serving's gRPC API (default: none); 0 takes a free port."""
    workers: int = Field(default=1, ge=1, le=256)
    """The number of processes that answer requests. Each process loads the model."""
    batch_rows: int = Field(default=1024, ge=1)
    """The number of rows up to which requests that arrive together share one call of the model."""
    batch_wait_milliseconds: float = Field(default=2.0, ge=0, le=1000)
    """How long a call of the model is put off at most, while more requests keep arriving."""
    max_rows: int = Field(default=10_000, ge=1)
    """The most rows of one request; a larger request is answered with status 413."""
    max_body_megabytes: float = Field(default=16.0, gt=0)
    """The largest body of a request in megabytes; a larger body is answered with status 413."""
    max_connections: int = Field(default=4096, ge=1)
    """The most connections to one process, of HTTP and of gRPC each, and at most a third of the \
files that the process may open. More HTTP connections get status 503; health checks do not. A \
connection over HTTPS counts from the end of its TLS handshake."""
    queue_rows: int = Field(default=20_000, ge=1)
    """The most rows that wait in one process; a request beyond them is answered with status 429."""
    request_seconds: float = Field(default=30.0, gt=0)
    """The most seconds from the headers of a request to its predictions, the body and the queue \
included; then the status is 503. Sending the predictions may take as long again."""
    load_seconds: float = Field(default=300.0, gt=0)
    """The most seconds to load a version; then the version is refused, as a damaged one."""
    drain_seconds: float = Field(default=30.0, ge=0)
    """The most seconds that begun requests may take after SIGTERM."""
    poll_seconds: float = Field(default=1.0, gt=0)
    """How often, in seconds, the server looks whether another version is served."""
    token_file: str | None = None
    """A file with a bearer token, which every request but health checks and pages must carry."""
    plain_tokens: bool = False
    """Whether tokens may come over plain HTTP from other machines: only where a proxy or a mesh \
before the server speaks TLS with the clients."""
    open_metrics: bool = False
    """Whether `/metrics` needs no token: many installations of Prometheus send none."""
    tls_certificate: str | None = None
    """The certificate chain (PEM) with which the server speaks HTTPS."""
    tls_key: str | None = None
    """The private key (PEM) of `tls_certificate`."""
    access_log: bool = True
    """Whether the server prints a line per request; the line holds no cells."""

    @model_validator(mode="after")
    def _check_rules(self) -> ServerConfig:
        if self.queue_rows < self.max_rows:
            raise ValueError(
                f"queue_rows ({self.queue_rows}) must be at least max_rows ({self.max_rows}): "
                "a request of max_rows rows would never fit"
            )
        if (self.tls_certificate is None) is not (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key belong together: give both or neither")
        return self


class CheckConfig(Section):
    """What the serving check measures before a push, and its limits."""

    enabled: bool = True
    """Whether a new process must load a blessed model and answer requests before the push."""
    seconds: float = Field(default=600.0, gt=0)
    """The time limit of the whole check in seconds; a model that hangs fails then."""
    load_seconds: float | None = Field(default=120.0, gt=0)
    """The most seconds to load the model; null: no limit."""
    p99_milliseconds_1: float | None = Field(default=2_000.0, gt=0)
    """The highest 99th percentile of the latency of one row in milliseconds; null: no limit."""
    p99_milliseconds_64: float | None = Field(default=10_000.0, gt=0)
    """The highest 99th percentile of the latency of 64 rows in milliseconds; null: no limit."""
    memory_megabytes: float | None = Field(default=16_000.0, gt=0)
    """The most memory of the process in megabytes, TensorFlow included; null: no limit."""
    tolerance: float = Field(default=1e-3, gt=0)
    """The greatest difference between an answer and the Evaluator's prediction, as a share of the \
largest prediction."""


class ServingConfig(Section):
    """Where versions are pushed to, and how many stay."""

    directory: str | None = None
    """The directory that versions are pushed to (default: `serving` in the output directory), or \
an address such as s3://bucket/models/taxi."""
    keep_versions: int = Field(default=5, ge=1)
    """The number of newest versions that stay; a push removes older ones."""
    mode: Mode = "automatic"
    """What happens to a blessed model: `automatic` pushes it, and with `manual` it waits until a
    person runs `promote`."""
    check: CheckConfig = CheckConfig()
    """The check between the evaluation and the push."""
    server: ServerConfig = ServerConfig()
    """The model server that `serve` starts."""

    @field_validator("directory")
    @classmethod
    def _check_address(cls, directory: str | None) -> str | None:
        """Raises for an address of another kind, and for a whole bucket."""
        return directory and check_folder(directory)


class PredictionConfig(Section):
    """Batch predictions with the served version, by the command `predict` and after each run."""

    input: tuple[str, ...] = Field(min_length=1)
    """A CSV or Parquet file, a glob pattern, or a list of them, relative to the working \
directory, or an address such as s3://bucket/new/*.csv. `{SPAN}` stands for the number of a span, \
as in `data.path`."""
    output: str
    """The directory for the predictions, or an address such as s3://bucket/scored: new, empty, or \
with earlier predictions."""
    key: str | None = None
    """The column that identifies a row; a row without it is a bad row."""
    columns: tuple[str, ...] | None = None
    """The columns to copy to the output beside the key; `"*"` stands for all (default: none with \
a key, all without)."""
    format: Literal["parquet", "csv"] = "parquet"
    """The format of the predictions."""
    prefix: str = ""
    """What the names of the model's outputs begin with, such as `predicted_`."""
    max_bad_rows: str | None = None
    """The most rows that may be bad: a number, or a share such as 0.5% (default: 1% with a key, 0 \
without)."""

    @field_validator("input", mode="before")
    @classmethod
    def _accept_one_path(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("max_bad_rows", mode="before")
    @classmethod
    def _accept_number(cls, value: object) -> object:
        return str(value) if type(value) is int else value

    @field_validator("max_bad_rows")
    @classmethod
    def _check_limit(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"\d+|\d{1,3}(\.\d+)? ?%", value.strip()):
            raise ValueError(f"{value!r} is neither a number of rows nor a share such as 0.5%")
        return value

    @field_validator("input")
    @classmethod
    def _check_paths(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(check_path, paths))

    @field_validator("output")
    @classmethod
    def _check_folder(cls, output: str) -> str:
        return check_folder(output)
