"""Kubeflow's tasks find the class of an artifact by the name of its type."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from tfx.types.artifact import Artifact

import components

FILES = sorted(Path(components.__file__).parent.glob("*/artifacts.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_the_name_of_each_type_leads_to_its_class(file: Path) -> None:
    module = importlib.import_module(f"components.{file.parent.name}.artifacts")
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Artifact) and value is not Artifact
    ]
    assert own
    for kind in own:
        package, _, name = kind.TYPE_NAME.rpartition(".")
        assert package == "components"
        assert getattr(components, name) is kind
