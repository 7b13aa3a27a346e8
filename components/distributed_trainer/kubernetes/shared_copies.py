"""Copies a Trainer's artifacts to a volume that the workers' pods share with the Trainer's pod.

Kubeflow copies a task's inputs into the task's pod only, and reads its outputs only there.
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
from components.distributed_trainer.training_job import Artifacts, TrainingJob
from pipeline.config.kubernetes.pods import VolumeConfig
from pipeline.core.errors import ConfigError

_RETRY_SECONDS = 86_400
"""The least age, one day, at which copies of a killed Trainer are removed: by then, Kubeflow has
long retried the task, which uses the same directory."""


@contextmanager
def share_artifacts(
    job: TrainingJob, volumes: Sequence[VolumeConfig], directory: str, owner: Object
) -> Iterator[TrainingJob]:
    """Yields the job with artifacts at URIs that pods with these volumes can read and write.

    An artifact on one of the volumes or in an object store (`gs://`) keeps its URI. Any other input
    is copied below `directory`. Any other output is written below `directory` and copied to its own
    URI if the body raises nothing. In the end `directory` is removed. Until then, a file beside it
    holds the `name` and `uid` of the pod `owner`, so that no other Trainer removes the directory.

    Raises:
      ConfigError: an artifact must be copied, and no writable volume holds `directory`.
    """

    def is_shared(uri: str) -> bool:
        return "://" in uri or any(_holds(volume, uri) for volume in volumes)

    artifacts = _list_artifacts(job.inputs, job.outputs)
    private = [artifact.uri for artifact in artifacts if not is_shared(artifact.uri)]
    if not private:
        yield job
        return
    if not any(_holds(v, directory) and not v.read_only for v in volumes):
        raise ConfigError(
            f"the workers' pods can reach neither {private[0]} nor {directory}",
            "add a volume to kubeflow.workers.volumes that the Trainer has at the same path",
        )
    # By order in the job: a retry of the task then replaces the copies of a killed Trainer.
    places = {uri: f"{directory}/{index}" for index, uri in enumerate(dict.fromkeys(private))}
    owner_file = Path(f"{directory}.json")
    owner_file.parent.mkdir(parents=True, exist_ok=True)
    owner_file.write_text(json.dumps(dict(owner)), encoding="utf-8")
    _remove_tree(directory)
    try:
        for artifact in _list_artifacts(job.inputs):
            if artifact.uri in places:
                shutil.copytree(artifact.uri, places[artifact.uri])
        inputs, outputs = (_move_artifacts(a, places) for a in (job.inputs, job.outputs))
        yield TrainingJob(inputs, outputs, job.properties)
        for artifact in _list_artifacts(job.outputs):
            written = places.get(artifact.uri, "")
            if Path(written).is_dir():
                shutil.copytree(written, artifact.uri, dirs_exist_ok=True)
    finally:
        _remove_tree(directory)
        owner_file.unlink(missing_ok=True)


def remove_abandoned_copies(directory: str, is_running: Callable[[Object], bool]) -> None:
    """Removes copies below `directory` that are a day old and whose Trainer's pod has ended."""
    for owner_file in Path(directory).glob("*.json"):
        try:
            is_old = time.time() - owner_file.stat().st_mtime > _RETRY_SECONDS
            if not is_old or is_running(json.loads(owner_file.read_text(encoding="utf-8"))):
                continue
        except (OSError, ValueError):
            # Its Trainer ends at this moment, or was killed before it copied anything.
            continue
        _remove_tree(str(owner_file.with_suffix("")))
        owner_file.unlink(missing_ok=True)


def _holds(volume: VolumeConfig, path: str) -> bool:
    return Path(path).is_relative_to(volume.path)


def _list_artifacts(*artifacts: Artifacts) -> list[Artifact]:
    return [each for by_key in artifacts for values in by_key.values() for each in values]


def _move_artifacts(artifacts: Artifacts, places: Mapping[str, str]) -> dict[str, list[Any]]:
    """Returns copies of the artifacts, whose URIs are replaced if `places` has a new one."""
    return {
        key: [_copy_artifact(each, places.get(each.uri, each.uri)) for each in values]
        for key, values in artifacts.items()
    }


def _copy_artifact(artifact: Artifact, uri: str) -> Artifact:
    copy = Artifact.from_json_dict(artifact.to_json_dict())
    copy.uri = uri
    return copy


def _remove_tree(directory: str) -> None:
    shutil.rmtree(directory, ignore_errors=True)
