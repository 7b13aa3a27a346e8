"""Records of small runs, for tests."""

from __future__ import annotations

import time
from typing import Any

from pipeline.runners.kubeflow.run_records.task_record import OutputRecord, State, TaskRecord


def make_record(
    node: str,
    run: str = "run-1",
    state: State = "complete",
    reads: tuple[str, ...] = (),
    makes: tuple[str, ...] = (),
    **fields: Any,
) -> TaskRecord:
    """Returns a record; its input and output artifacts have these addresses."""
    given: dict[str, Any] = {
        "started": time.time() - 60,
        "seconds": None if state == "running" else 2.5,
        "properties": f"digest of {node}",
        "exit_code": 0 if state == "complete" else None,
        **fields,
    }
    return TaskRecord(
        node=node,
        run=run,
        state=state,
        inputs={f"in{number}": (uri,) for number, uri in enumerate(reads)},
        outputs={uri.rpartition("/")[2]: OutputRecord("Examples", uri, {}) for uri in makes},
        **given,
    )
