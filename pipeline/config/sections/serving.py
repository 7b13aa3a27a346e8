"""The section `serving`: where the Pusher writes versions, and the server that loads them."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section


class ServerConfig(Section):
    """The model server: its address, processes, limits and files."""

    host: str = "127.0.0.1"
    """The address to listen on. `0.0.0.0` listens on all addresses of the machine."""
    port: int = Field(default=8501, ge=0, le=65535)
    """The port to listen on; 0 takes a free port."""
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
    queue_rows: int = Field(default=20_000, ge=1)
    """The most rows that wait in one process; a request beyond them is answered with status 429."""
    request_seconds: float = Field(default=30.0, gt=0)
    """The most seconds from the first byte of a body to its predictions; then the status is 503."""
    drain_seconds: float = Field(default=30.0, ge=0)
    """The most seconds that begun requests may take after SIGTERM."""
    poll_seconds: float = Field(default=1.0, gt=0)
    """How often, in seconds, the server looks whether another version is served."""
    token_file: str | None = None
    """A file with a bearer token, which every request but health checks and pages must carry."""
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
                f"queue_rows ({self.queue_rows}) should be at least max_rows ({self.max_rows}): "
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
    """The directory that versions are pushed to (default: `serving` in the output directory)."""
    keep_versions: int = Field(default=5, ge=1)
    """The number of newest versions that stay; a push removes older ones."""
    check: CheckConfig = CheckConfig()
    """The check between the evaluation and the push."""
    server: ServerConfig = ServerConfig()
    """The model server that `serve` starts."""

    @field_validator("directory")
    @classmethod
    def _refuse_bucket(cls, directory: str | None) -> str | None:
        """Raises for a bucket: a push needs locks and the atomic rename of a directory."""
        if directory and "://" in directory:
            raise ValueError(f"{directory} is not a directory of a file system, which a push needs")
        return directory
