"""A compiled pipeline: its two documents, and what can be read from them.

This module does not import TensorFlow or TFX.
"""

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
    """A pipeline in Kubeflow's form: the specification and the platform document of the file."""

    spec: Spec
    platform: Spec
    """Kubernetes settings; {} for Vertex AI, whose SDK reads files with one document only."""

    def to_yaml(self) -> str:
        """Returns the text of the documents; equal pipelines give equal texts."""
        documents = [self.spec, *([self.platform] if self.platform else [])]
        text: str = yaml.safe_dump_all(documents, sort_keys=True, width=120)
        return text

    @property
    def tfx_version(self) -> str:
        """The version of TFX that compiled the pipeline."""
        return str(self.spec.get("sdkVersion", "")).removeprefix("tfx-")

    @property
    def image(self) -> str:
        """The image of all tasks."""
        return str(next(container["image"] for _, container in containers_of(self.spec)))

    @property
    def config(self) -> Config:
        """The configuration from which the pipeline was compiled."""
        return Config.model_validate_json(decode_parameter(self._read_prepare_constant("config")))

    @property
    def is_as_compiled(self) -> bool:
        """Whether both documents still have the digest that the compiler wrote into the file."""
        return compute_graph_digest(self.spec, self.platform) == self._read_prepare_constant(
            "graph"
        )

    def with_image(self, image: str) -> CompiledPipeline:
        """Returns this pipeline with `image` in place of its image."""
        spec = copy.deepcopy(self.spec)
        for _, container in containers_of(spec):
            container["image"] = image
        return CompiledPipeline(spec, self.platform)

    def _read_prepare_constant(self, name: str) -> str:
        """Returns the constant that the first task has for its parameter `name`."""
        parameter = tasks_of(self.spec)[task_name(PREPARE)]["inputs"]["parameters"][name]
        constant: str = parameter["runtimeValue"]["constant"]
        return constant


def compute_graph_digest(spec: Spec, platform: Spec) -> str:
    """Returns a digest of everything in the file that a run cannot change.

    The digest leaves out the constants of the parameters and the image's name.
    """
    graph = copy.deepcopy(spec)
    for task in tasks_of(graph).values():
        for parameter in task.get("inputs", {}).get("parameters", {}).values():
            parameter.pop("runtimeValue", None)
    for _, container in containers_of(graph):
        container.pop("image")
    canonical = json.dumps([graph, platform], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
