"""What the Trainer and the Tuner leave beside their artifacts: progress in the log, and backups."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.core.contracts import Channel, CustomConfigKey, Node, RunFile
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.threads import work_beside
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory
from pipeline.runners.workspace.backups import mark_published, read_backup_name

_TRAINING = (Node.TRAINER, Node.TUNER)
_POLL_SECONDS = 2.0


@contextlib.contextmanager
def progress_in_log(node_id: str) -> Iterator[None]:
    """Prints epochs and trials while a node trains, in the form that a local run shows."""
    if node_id not in _TRAINING:
        yield
        return
    from rich.console import Console

    from pipeline.core.events import EventReader
    from pipeline.terminal.display import Display

    with _file_for_events(node_id) as path:
        os.environ[EVENTS_VARIABLE] = str(path)
        reader = EventReader(path)
        # The events of an earlier attempt stand in the log of that attempt.
        reader.read()
        display = Display(Console(file=sys.stdout, highlight=False, force_terminal=False))

        def follow(ended: threading.Event) -> None:
            is_last = False
            while not is_last:
                is_last = ended.wait(_POLL_SECONDS)
                for envelope in reader.read():
                    display.show(envelope)

        with work_beside(follow, "events"):
            yield


@contextlib.contextmanager
def _file_for_events(node_id: str) -> Iterator[Path]:
    """Yields the file that takes the events: among the records of the run, if they can be written.

    There the events are also left of a training that is killed. Retries add to the same file.
    """
    records = RunDirectory.of_this_run()
    if records and _can_write(records.events(node_id)):
        yield records.events(node_id)
        return
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory) / RunFile.EVENTS


def _can_write(path: Path) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError:
        return False
    return True


def release_backup(node_id: str, properties: Json, outputs: Mapping[str, Sequence[Any]]) -> None:
    """Marks the node's backup as published; the first task of the next run removes marked backups.

    The backup stays until then because Kubeflow's launcher has not uploaded the artifacts yet. If
    the upload fails, the task's retry continues from the backup.
    """
    if node_id not in _TRAINING:
        return
    if node_id == Node.TRAINER:
        published = read_backup_name(Path(outputs[Channel.MODEL_RUN][0].uri))
    else:
        from components.tuner.results import read_results

        published = read_results(outputs[Channel.TUNER_RESULTS][0].uri).search
    custom_config = json.loads(properties["custom_config"])
    mark_published(Path(custom_config[CustomConfigKey.BACKUP_DIRECTORY]), published)
