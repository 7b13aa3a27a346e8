"""Parts whose training fails."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import attr
import pytest
from tiny_models import Trained

from pipeline.core.errors import DivergenceError, PipelineError
from trainer_module.blend import parts
from trainer_module.run import run_fn
from trainer_module.sections import Sections
from trainer_module.trees.library import lightgbm

pytestmark = pytest.mark.slow


DIVERGING = {"learning_rate": 1e30, "optimizer": "sgd"}


def run_again(trained: Trained, folder: Path, skip_failed: bool, **changes: object) -> None:
    """Trains network and trees, with changes of section `training`."""
    config = dict(trained.fn_args.custom_config)
    model, training = json.loads(config["model"]), json.loads(config["training"])
    model["blend"] = {**model["blend"], "skip_failed": skip_failed}
    training |= changes
    config |= {
        "backup_directory": str(folder / "backup"),
        "model": json.dumps(model),
        "training": json.dumps(training),
    }
    run_fn(
        attr.evolve(
            trained.fn_args,
            custom_config=config,
            serving_model_dir=str(folder / "model"),
            model_run_dir=str(folder / "run"),
        )
    )


def test_a_part_that_fails_stops_the_training_or_is_left_out_if_that_is_allowed(
    regression_blend: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PipelineError, match="training diverged"):
        run_again(regression_blend, tmp_path / "strict", skip_failed=False, **DIVERGING)
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    run_again(regression_blend, tmp_path / "lax", skip_failed=True, **DIVERGING)
    history = json.loads((tmp_path / "lax/run/history.json").read_text())
    assert [(p["part"], p["weight"]) for p in history["parts"]] == [("trees", 1.0)]
    assert history["unit"] == "iteration"
    told = [json.loads(line) for line in events.read_text().splitlines()]
    [failed] = [event for event in told if event["event"] == "part_failed"]
    assert (failed["part"], failed["number"]) == ("network", 1)
    assert failed["reason"].startswith("training diverged")


class _DivergingNetwork(parts.PartsToFit):
    def _fit_network(self, place: object) -> None:
        raise DivergenceError("training diverged")


def test_a_worker_whose_network_diverges_leaves_the_trees_to_the_chief(tmp_path: Path) -> None:
    blend = {"family": "blend", "blend": {"skip_failed": True}}
    training = {"workers": 2, "strategy": "multi_worker"}
    sections = Sections({"model": json.dumps(blend), "training": json.dumps(training)})
    setup = SimpleNamespace(data=SimpleNamespace(replicas=SimpleNamespace(is_chief=False)))
    fits = _DivergingNetwork(None, sections, setup, 1, str(tmp_path), str(tmp_path))
    assert fits.fit() == []


class _RefusedTrees:
    """Trees that LightGBM refuses, as it refuses a dataset that is too large for it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __call__(self, *_: object) -> None:
        raise self._error


def test_trees_that_lightgbm_refuses_are_left_out_and_a_defect_is_not(
    regression_blend: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = _RefusedTrees(lightgbm.basic.LightGBMError("std::bad_alloc"))
    monkeypatch.setattr(parts, "set_up_trees", refused)
    with pytest.raises(lightgbm.basic.LightGBMError):
        run_again(regression_blend, tmp_path / "strict", skip_failed=False)
    events = tmp_path / "events.jsonl"
    monkeypatch.setenv("PIPELINE_EVENTS", str(events))
    run_again(regression_blend, tmp_path / "lax", skip_failed=True)
    history = json.loads((tmp_path / "lax/run/history.json").read_text())
    assert [(p["part"], p["weight"]) for p in history["parts"]] == [("network", 1.0)]
    told = [json.loads(line) for line in events.read_text().splitlines()]
    [failed] = [event for event in told if event["event"] == "part_failed"]
    assert (failed["part"], failed["reason"]) == ("trees", "LightGBMError: std::bad_alloc")
    monkeypatch.setattr(parts, "set_up_trees", _RefusedTrees(AttributeError("a defect")))
    with pytest.raises(AttributeError, match="a defect"):
        run_again(regression_blend, tmp_path / "defect", skip_failed=True)
