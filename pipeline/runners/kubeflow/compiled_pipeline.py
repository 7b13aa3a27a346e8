"""A compiled pipeline, and what can be read from it. Imports nothing heavy."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import yaml

from pipeline.config import Config
from pipeline.runners.kubeflow.names import PREPARE, kebab
from pipeline.runners.kubeflow.parcel import unpacked
from pipeline.runners.kubeflow.spec import Spec, containers_of, tasks_of


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
        given = tasks_of(self.spec)[kebab(PREPARE)]["inputs"]["parameters"]["config"]
        return Config.model_validate_json(unpacked(given["runtimeValue"]["constant"]))

    def running(self, image: str) -> CompiledPipeline:
        """The same with another image."""
        spec = copy.deepcopy(self.spec)
        for _, container in containers_of(spec):
            container["image"] = image
        return CompiledPipeline(spec, self.platform)
