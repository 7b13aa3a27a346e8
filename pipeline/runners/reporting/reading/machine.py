"""Describes the machine and the installed packages, for the record of a run.

Reads files of the operating system: this process imports no TensorFlow.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from pipeline.core.processes import available_cores

_GPUS = Path("/proc/driver/nvidia/gpus")
_MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""The memory of this container in bytes, or `max`."""


def read_versions() -> dict[str, str]:
    """Returns the version of each installed package and of Python, by name in lower case."""
    found = {str(d.name).lower(): d.version for d in distributions() if d.name}
    return {"python": platform.python_version(), **dict(sorted(found.items()))}


def read_hardware() -> dict[str, str]:
    """Returns cores, memory, GPUs and the operating system, as a page shows them."""
    gpus = list(_list_gpus())
    return {
        "cores": str(available_cores()),
        "memory": f"{_memory_bytes() / 2**30:.1f} GiB",
        "GPUs": ", ".join(gpus) or "none",
        "processor": _read_value(Path("/proc/cpuinfo"), "model name") or platform.processor(),
        "system": platform.platform(),
    }


def _memory_bytes() -> int:
    """Returns the memory that the processes of this container may use."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _MEMORY_LIMIT.read_text().strip() if _MEMORY_LIMIT.exists() else "max"
    return min(total, int(limit)) if limit.isdigit() else total


def _list_gpus() -> Iterator[str]:
    """Yields the model of each NVIDIA GPU of the machine."""
    for file in sorted(_GPUS.glob("*/information")):
        yield _read_value(file, "Model") or file.parent.name


def _read_value(file: Path, key: str) -> str | None:
    """Returns the value of the first line `key: value`, or None."""
    if not file.exists():
        return None
    lines = (line.partition(":") for line in file.read_text(errors="replace").splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == key), None)
