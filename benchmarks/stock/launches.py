"""Times the launch of each node of a LocalDagRunner, as `pipeline run` does."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from tfx.orchestration.portable import launcher

from pipeline.core.events import ComponentChanged, emit


class _TimedLauncher(launcher.Launcher):
    """Launches a node as TFX does, and emits events at its start and end."""

    def launch(self) -> Any:
        node = self._pipeline_node.node_info.id
        emit(ComponentChanged(name=node, state="running"))
        started = time.monotonic()
        result = super().launch()
        emit(ComponentChanged(node, "complete", seconds=time.monotonic() - started))
        return result


@contextlib.contextmanager
def timed_launches() -> Iterator[None]:
    """Makes every node emit events inside the `with` block."""
    stock = launcher.Launcher
    launcher.Launcher = _TimedLauncher
    try:
        yield
    finally:
        launcher.Launcher = stock
