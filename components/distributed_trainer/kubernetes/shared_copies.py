"""What pods can reach of a Trainer's artifacts: copies on a volume that all of them have.

Kubeflow brings the inputs of a task into its own pod alone, and takes the outputs from there.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tfx.types.artifact import Artifact

from components.distributed_trainer.kubernetes.api import Object
from components.distributed_trainer.training_job import Artifacts, Job
from pipeline.config.kubernetes.pods import VolumeConfig
from pipeline.core.errors import ConfigError

_RETRY_SECONDS = 86_400
"""How long a killed Trainer's copies stay: a retry of its task copies to the same place."""


@contextmanager
def within_reach(
    job: Job, volumes: Sequence[VolumeConfig], directory: str, owner: Object
) -> Iterator[Job]:
    """The job with its artifacts where pods with these volumes find them.

    What is there already, or in a store with an address of its own (`gs://`), stays. Of the rest,
    inputs are copied below `directory`, and outputs from there if all goes well. It is removed in
    the end. Until then a note beside it says that the pod `owner`, its name and uid, is at work.

    Raises:
      ConfigError: something is to be copied, and `directory` is on no volume that can be written.
    """

    def is_reached(uri: str) -> bool:
        return "://" in uri or any(_holds(volume, uri) for volume in volumes)

    apart = [a.uri for a in _all(job.inputs, job.outputs) if not is_reached(a.uri)]
    if not apart:
        yield job
        return
    if not any(_holds(v, directory) and not v.read_only for v in volumes):
        raise ConfigError(
            f"the workers' pods cannot reach {apart[0]}, nor do they share {directory}",
            "kubeflow.workers.volumes has to name a volume that the Trainer has at the same path",
        )
    # By their places in the job: a retry of the task finds what a killed one has left.
    places = {uri: f"{directory}/{index}" for index, uri in enumerate(dict.fromkeys(apart))}
    note = _note(directory)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps(dict(owner)), encoding="utf-8")
    _clear(directory)
    try:
        for artifact in _all(job.inputs):
            if artifact.uri in places:
                shutil.copytree(artifact.uri, places[artifact.uri])
        move = _moved(places)
        yield Job(move(job.inputs), move(job.outputs), job.properties)
        for artifact in _all(job.outputs):
            made = places.get(artifact.uri, "")
            if Path(made).is_dir():
                shutil.copytree(made, artifact.uri, dirs_exist_ok=True)
    finally:
        _clear(directory)
        note.unlink(missing_ok=True)


def sweep_copies(home: str, is_at_work: Callable[[Object], bool]) -> None:
    """Removes the copies below `home` of Trainers that were killed and not started anew."""
    for note in Path(home).glob("*.json"):
        try:
            is_old = time.time() - note.stat().st_mtime > _RETRY_SECONDS
            if not is_old or is_at_work(json.loads(note.read_text(encoding="utf-8"))):
                continue
        except (OSError, ValueError):
            # It ends at this moment, or was killed before it copied anything.
            continue
        _clear(str(note.with_suffix("")))
        note.unlink(missing_ok=True)


def _note(directory: str) -> Path:
    return Path(f"{directory}.json")


def _holds(volume: VolumeConfig, path: str) -> bool:
    return Path(path).is_relative_to(volume.path)


def _all(*artifacts: Artifacts) -> list[Artifact]:
    return [each for by_key in artifacts for values in by_key.values() for each in values]


def _moved(places: Mapping[str, str]) -> Callable[[Artifacts], dict[str, list[Any]]]:
    def move(artifacts: Artifacts) -> dict[str, list[Any]]:
        return {key: [_at(a, places.get(a.uri, a.uri)) for a in v] for key, v in artifacts.items()}

    return move


def _at(artifact: Artifact, uri: str) -> Artifact:
    copy = Artifact.from_json_dict(artifact.to_json_dict())
    copy.uri = uri
    return copy


def _clear(directory: str) -> None:
    shutil.rmtree(directory, ignore_errors=True)
