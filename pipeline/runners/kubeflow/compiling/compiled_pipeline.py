"""A compiled pipeline, and what can be read from it. Imports nothing heavy."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass

import yaml

from pipeline.config import Config
from pipeline.runners.kubeflow.compiling.parameter_encoding import decode_parameter
from pipeline.runners.kubeflow.compiling.spec import Spec, containers_of, tasks_of
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name


@dataclass(frozen=True)
class CompiledPipeline:
    """A pipeline as Kubeflow takes it: the two documents of the file."""

    spec: Spec
    platform: Spec

    def to_yaml(self) -> str:
        """Both documents; equal pipelines give equal texts."""
        text: str = yaml.safe_dump_all([self.spec, self.platform], sort_keys=True, width=120)
        return text

    @property
    def tfx_version(self) -> str:
        """The version of TFX that compiled it."""
        return str(self.spec.get("sdkVersion", "")).removeprefix("tfx-")

    @property
    def image(self) -> str:
        """The image that all tasks run."""
        return str(next(container["image"] for _, container in containers_of(self.spec)))

    @property
    def config(self) -> Config:
        """The configuration it was compiled from."""
        return Config.model_validate_json(decode_parameter(self._prepare_constant("config")))

    @property
    def is_as_compiled(self) -> bool:
        """Whether both documents still have the digest that the compiler noted."""
        return compute_graph_digest(self.spec, self.platform) == self._prepare_constant("graph")

    def with_image(self, image: str) -> CompiledPipeline:
        """The same with another image."""
        spec = copy.deepcopy(self.spec)
        for _, container in containers_of(spec):
            container["image"] = image
        return CompiledPipeline(spec, self.platform)

    def _prepare_constant(self, name: str) -> str:
        """A constant of the first task."""
        given = tasks_of(self.spec)[task_name(PREPARE)]["inputs"]["parameters"][name]
        constant: str = given["runtimeValue"]["constant"]
        return constant


def compute_graph_digest(spec: Spec, platform: Spec) -> str:
    """The digest of all that a run cannot change: neither the constants nor the image's name."""
    graph = copy.deepcopy(spec)
    for task in tasks_of(graph).values():
        for given in task.get("inputs", {}).get("parameters", {}).values():
            given.pop("runtimeValue", None)
    for _, container in containers_of(graph):
        container.pop("image")
    canonical = json.dumps([graph, platform], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
