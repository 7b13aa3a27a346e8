"""The section `engine`: the cluster that does the data work, in place of this machine.

Beam takes a dozen flags for a cluster. The section asks for the facts that only the user knows, and
all flags follow from the facts.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from pipeline.config.base import BrokenRulesError, RuleError, Section, matching

EngineKind = Literal["local", "flink", "spark", "dataflow"]

_HOST = r"([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])"
_POOL = "localhost:50000"
RUNNER = "--runner=components.engine.runner.EngineRunner"
"""Beam's PortableRunner, which also cancels its jobs."""
_KEPT_MILLISECONDS = 60_000
"""How long an idle Python process of a worker is kept. A process imports TensorFlow for seconds; a
job without this time starts one for each of its stages."""


def _check_port(address: str) -> str:
    if not 0 < int(address.rpartition(":")[2]) < 65536:
        raise ValueError(f"{address!r} has no valid port: ports are 1 to 65535")
    return address


Address = Annotated[
    str,
    matching(rf"{_HOST}:\d{{1,5}}", "a host and a port such as localhost:8099"),
    AfterValidator(_check_port),
]
_Page = Annotated[
    str, matching(rf"https?://{_HOST}(:\d{{1,5}})?(/[^\s?#]*)?", "an address http://HOST:PORT")
]
_Bucket = Annotated[str, matching(r"gs://[^/\s]+(/\S*)?", "an address gs://BUCKET/FOLDER")]

_READ_BY: dict[EngineKind, tuple[str, ...]] = {
    "flink": ("endpoint", "parallelism", "worker_pool", "image", "page", "probe"),
    "spark": ("endpoint", "worker_pool", "image", "page", "probe"),
    "dataflow": ("project", "region", "temp_location", "staging_location", "image"),
}
"""The keys that each kind reads, without `kind`; the kind `local` reads none."""
_REQUIRED: dict[EngineKind, tuple[str, ...]] = {
    "flink": ("endpoint",),
    "spark": ("endpoint",),
    "dataflow": ("project", "region", "temp_location", "image"),
}


class EngineConfig(Section):
    """Where the data components work: on this machine, or on a cluster; see docs/scale.md."""

    kind: EngineKind = "local"
    """What does the data work: this machine, Apache Flink, or Apache Spark. For `local`, the \
other keys have no effect. `dataflow` is refused: its workers could not reach the artifacts \
of a run."""
    endpoint: Address | None = None
    """The address of Beam's job server for Flink or Spark, such as `localhost:8099`; required for \
both."""
    parallelism: int | None = Field(default=None, ge=1)
    """For Flink: how many parts of a job run at the same time, at most one for each slot \
(default: Flink's `parallelism.default`)."""
    worker_pool: Address | None = None
    """For Flink and Spark: the address of the Python worker pool, as a worker of the cluster sees \
the pool (default: `localhost:50000`, a pool beside each worker; none with `image`)."""
    image: Annotated[str, matching(r"\S+", "the name of an image, without spaces")] | None = None
    """For Flink and Spark: the container image with this project; Docker then starts the Python \
processes in place of a worker pool."""
    page: _Page | None = None
    """The address of the engine's own page, such as Flink's `http://localhost:8081`. A run then \
shows the page of each job, checks Flink's version and slots first, and cancels its jobs there."""
    probe: bool = True
    """For Flink and Spark: whether each run first compares the workers with this machine, by a \
small job. Without it, a worker that differs fails in the first component."""
    project: str | None = None
    """For Dataflow, which is refused: the Google Cloud project."""
    region: str | None = None
    """For Dataflow, which is refused: the region of the workers, such as `europe-west1`."""
    temp_location: _Bucket | None = None
    """For Dataflow, which is refused: the folder for temporary files, `gs://BUCKET/FOLDER`."""
    staging_location: _Bucket | None = None
    """For Dataflow, which is refused: the folder for a job's files (default: `temp_location`)."""

    @model_validator(mode="after")
    def _check_keys_of_kind(self) -> EngineConfig:
        if self.kind == "local":
            return self
        broken = [
            RuleError(("engine", name), f"is required for kind {self.kind}")
            for name in _REQUIRED[self.kind]
            if getattr(self, name) is None
        ]
        for name in sorted(set(type(self).model_fields) - {"kind", *_READ_BY[self.kind]}):
            if getattr(self, name) != type(self).model_fields[name].default:
                kinds = " and ".join(kind for kind, names in _READ_BY.items() if name in names)
                message = f"kind {self.kind} does not read it, only {kinds}; leave it out"
                broken.append(RuleError(("engine", name), message))
        if self.image and self.worker_pool:
            message = "Docker starts the processes of `image`; leave out worker_pool or image"
            broken.append(RuleError(("engine", "worker_pool"), message))
        if broken:
            raise BrokenRulesError(broken)
        return self

    @property
    def is_local(self) -> bool:
        """Whether this machine does the data work."""
        return self.kind == "local"

    def flags(self) -> tuple[str, ...]:
        """Returns Beam's flags for the engine; none for this machine."""
        if self.kind == "local":
            return ()
        return self._dataflow_flags() if self.kind == "dataflow" else self._portable_flags()

    def _portable_flags(self) -> tuple[str, ...]:
        environment = ("DOCKER", self.image) if self.image else ("EXTERNAL", self.pool_address)
        return (
            RUNNER,
            f"--engine_kind={self.kind}",
            *((f"--engine_page={self.page}",) if self.page else ()),
            f"--job_endpoint={self.endpoint}",
            f"--environment_type={environment[0]}",
            f"--environment_config={environment[1]}",
            f"--environment_cache_millis={_KEPT_MILLISECONDS}",
            # More processes behind one address have one id, and the job hangs: tfx#3256.
            "--sdk_worker_parallelism=1",
            # The workers have the project. Otherwise TFX builds a package of itself for each job.
            "--sdk_container_image=none",
            *((f"--parallelism={self.parallelism}",) if self.parallelism else ()),
        )

    @property
    def pool_address(self) -> str:
        """The address of the worker pool, as a worker of the cluster sees the pool."""
        return self.worker_pool or _POOL

    def _dataflow_flags(self) -> tuple[str, ...]:
        return (
            "--runner=DataflowRunner",
            f"--project={self.project}",
            f"--region={self.region}",
            f"--temp_location={self.temp_location}",
            f"--staging_location={self.staging_location or self.temp_location}",
            f"--sdk_container_image={self.image}",
            # The image has the project and its packages: the workers take them from there.
            "--sdk_location=container",
        )


def make_job_name(pipeline: str, component: str) -> str:
    """Returns the name of a component's jobs, in the letters that every engine accepts."""
    return re.sub(r"[^a-z0-9-]", "-", f"{pipeline}-{component}".lower())
