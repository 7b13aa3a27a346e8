"""The part of the page about the training, and about the search before it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from components.tuner.results import read_results
from pipeline.core.contracts import ArtifactFile, Channel, Node
from pipeline.core.events import (
    BatchesPlanned,
    SearchResults,
    TrainingEnded,
    TrainingProgress,
    TrainingResumed,
    WarmStarted,
    WorkersRestarted,
)
from pipeline.report.content import Blend, BlendPart, Epoch, Restart, TrainingPart
from pipeline.runners.reporting.reading.metadata_view import NodeView
from pipeline.runners.reporting.reading.run_files import RunFiles

_FACTS = {
    "train_examples": "training rows",
    "eval_examples": "evaluation rows",
    "global_batch_size": "global batch size",
    "batch_size": "batch size of a replica",
    "micro_batch_size": "micro-batch size",
    "replicas": "replicas",
    "steps_per_epoch": "steps per epoch",
    "served_weights": "variables from the served model",
    "weights": "variables that training learns",
    "time_limit": "seconds after which training was ended",
}
"""The facts that history.json and events hold, and their names for people."""
_SETTINGS = ("strategy", "workers", "precision", "optimizer")
"""Keys of `training` that say how the model was trained."""
_TREES_SETTINGS = {
    "learning_rate": "learning rate",
    "leaves": "leaves of a tree",
    "min_leaf_rows": "fewest rows of a leaf",
}
"""Keys of `model.trees` that say how trees were trained, and their names for people."""

ReadRun = Callable[[str], RunFiles | None]
"""Returns the run with this name; None if its logs were removed."""


def describe_training(
    run: RunFiles, nodes: Mapping[str, NodeView], cached_from: str | None, read_run: ReadRun
) -> TrainingPart | None:
    """Returns the fit and the search, or None if the run stopped before both.

    Args:
      cached_from: the name of the run that trained the model, if it was another one and its logs
        are there.
    """
    trained_by: RunFiles | None = run
    if _is_cached(run, nodes):
        # `gc` may have removed the logs of the run that trained.
        trained_by = read_run(cached_from) if cached_from else None
    history = _read_history(nodes)
    search = run.summary.tuning or _read_search(nodes)
    unit = _find_unit(trained_by, history)
    speeds = _read_speeds(trained_by, unit) if trained_by else {}
    epochs = _epochs_of_history(history, speeds) if history else _epochs_of_events(run, unit)
    if not (history or epochs or search or run.events(BatchesPlanned)):
        return None
    resumed = trained_by.events(TrainingResumed) if trained_by else []
    return TrainingPart(
        cached_from=cached_from,
        epochs=epochs,
        best_epoch=_find_best_epoch(run, history),
        planned_epochs=_find_planned_epochs(run, trained_by, unit),
        facts=_list_facts(run, history),
        restarts=_list_restarts(trained_by) if trained_by else (),
        resumed_from_epoch=resumed[0].epoch if resumed else None,
        search=search,
        is_cached=_is_cached(run, nodes),
        rows=history.get("train_examples"),
        unit=unit,
        importance={
            kind: history[f"importance_by_{kind}"]
            for kind in ("gain", "split")
            if f"importance_by_{kind}" in history
        },
        blend=_describe_blend(history),
    )


def _describe_blend(history: Mapping[str, Any]) -> Blend | None:
    if "parts" not in history:
        return None
    parts = tuple(
        BlendPart(
            name=f"{part['part']} {part['number']}",
            weight=part["weight"],
            seed=part["seed"],
            eval_loss=part["eval_loss"],
            unit=part["unit"],
            best_epoch=part["best_epoch"],
            epochs=_epochs_of_history(part, {}),
            # Earlier versions did not calibrate.
            temperature=part.get("temperature", 1.0),
        )
        for part in history["parts"]
    )
    return Blend(parts, history["blend"]["eval_loss"])


def _is_cached(run: RunFiles, nodes: Mapping[str, NodeView]) -> bool:
    """Whether the cache had the model; the metadata may be lost, and older runs sent no events."""
    trainer = nodes.get(Node.TRAINER)
    is_reported = any(c.name == Node.TRAINER and c.cached for c in run.summary.components)
    return is_reported or (trainer is not None and trainer.state == "cached")


def _read_history(nodes: Mapping[str, NodeView]) -> dict[str, Any]:
    """Returns history.json of a Trainer that ended; {} if there is none."""
    trainer = nodes.get(Node.TRAINER)
    if trainer is None or trainer.state == "failed" or Channel.MODEL_RUN not in trainer.outputs:
        return {}
    path = Path(trainer.outputs[Channel.MODEL_RUN].uri) / ArtifactFile.HISTORY
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read_search(nodes: Mapping[str, NodeView]) -> SearchResults | None:
    """Returns the search of a run that failed later."""
    tuner = nodes.get(Node.TUNER)
    if tuner is None or tuner.state == "failed" or Channel.TUNER_RESULTS not in tuner.outputs:
        return None
    try:
        return read_results(tuner.outputs[Channel.TUNER_RESULTS].uri)
    except (OSError, ValueError):
        return None


def _read_speeds(run: RunFiles, unit: str) -> dict[int, float]:
    """Returns the examples per second of each epoch that the run trained."""
    return {e.epoch: e.examples_per_second for e in _read_progress(run, unit)}


def _read_progress(run: RunFiles, unit: str) -> list[TrainingProgress]:
    """Returns the progress of the parts that count `unit`s: a blend has epochs and iterations."""
    return [event for event in run.events(TrainingProgress) if event.unit == unit]


def _epochs_of_history(
    history: Mapping[str, Any], speeds: Mapping[int, float]
) -> tuple[Epoch, ...]:
    """Returns the epochs; an earlier run trained those without a speed, before an interruption."""
    return tuple(
        Epoch(number, {**_values_of(epoch), "examples_per_second": speeds.get(number)})
        for number, epoch in enumerate(history["epochs"], start=1)
    )


def _values_of(epoch: Mapping[str, float]) -> dict[str, float]:
    """Returns all values but the steps, which count from the start of the training."""
    return {name: value for name, value in epoch.items() if name != "steps"}


def _epochs_of_events(run: RunFiles, unit: str) -> tuple[Epoch, ...]:
    """Returns the epochs that ended; after a restart, an epoch's last event counts."""
    ended = {e.epoch: e for e in _read_progress(run, unit) if e.eval_loss is not None}
    names = ("loss", "eval_loss", "examples_per_second")
    return tuple(
        Epoch(number, {name: getattr(event, name) for name in names})
        for number, event in sorted(ended.items())
    )


def _find_best_epoch(run: RunFiles, history: Mapping[str, Any]) -> int | None:
    ended = run.events(TrainingEnded)
    return history.get("best_epoch") or (ended[-1].best_epoch if ended else None)


def _find_planned_epochs(run: RunFiles, trained_by: RunFiles | None, unit: str) -> int | None:
    progress = _read_progress(trained_by, unit) if trained_by else []
    if progress:
        return progress[-1].epochs
    if run.config and run.config.model.is_trees:
        return run.config.model.trees.iterations
    return run.config.training.epochs if run.config else None


def _find_unit(run: RunFiles | None, history: Mapping[str, Any]) -> str:
    progress = run.events(TrainingProgress) if run and not history else []
    return str(history.get("unit") or (progress[-1].unit if progress else "epoch"))


def _list_facts(run: RunFiles, history: Mapping[str, Any]) -> dict[str, str]:
    """Returns what the page shows about the fit, by name."""
    facts = dict(history)
    if not facts:
        for event in (*run.events(BatchesPlanned), *run.events(WarmStarted)):
            facts |= vars(event)
    shown = {words: f"{facts[k]:,}" for k, words in _FACTS.items() if facts.get(k) is not None}
    training = run.config.training if run.config else None
    settings = {key: str(getattr(training, key)) for key in _SETTINGS} if training else {}
    if run.config and run.config.model.is_trees:
        trees = run.config.model.trees
        settings = {name: str(getattr(trees, key)) for key, name in _TREES_SETTINGS.items()}
    tuned = {f"{key} (tuned)": str(value) for key, value in facts.get("tuned", {}).items()}
    return {**shown, **settings, **tuned}


def _list_restarts(run: RunFiles) -> tuple[Restart, ...]:
    events, times = run.events(WorkersRestarted), run.times(WorkersRestarted)
    return tuple(Restart(time, e.cause) for e, time in zip(events, times, strict=True))
