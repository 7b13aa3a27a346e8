"""The training is shown from its artifact, and from its events if it did not end."""

import json
from pathlib import Path

import pytest
from runs_for_pages import artifact, complete, make_run, node, penguins

from pipeline.core.contracts import Channel, Node
from pipeline.core.events import (
    BatchesPlanned,
    ComponentChanged,
    Event,
    EventReader,
    RunEnded,
    SearchResults,
    TrainingEnded,
    TrainingProgress,
    TrainingResumed,
    TrialResult,
    WorkersRestarted,
)
from pipeline.report.content import TrainingPart
from pipeline.runners.reporting.parts.training import describe_training
from pipeline.runners.reporting.reading.metadata_view import NodeView

RECORDED = Path(__file__).parents[3] / "terminal/taxi_events.jsonl"
HISTORY = {
    "train_examples": 1000,
    "eval_examples": 100,
    "global_batch_size": 100,
    "replicas": 2,
    "tuned": {"training.learning_rate": 0.01},
    "best_epoch": 2,
    "epochs": [
        {"loss": 0.5, "eval_loss": 0.6, "steps": 10, "learning_rate": 0.1, "seconds": 2.0},
        {"loss": 0.4, "eval_loss": 0.5, "steps": 20, "learning_rate": 0.1, "seconds": 0.5},
    ],
}
PLANNED = BatchesPlanned(1000, 100, 100, 50, 10, 2, 100, None)
RESTART = WorkersRestarted("worker 1 was killed", seconds=1.0)


def progress(epoch: int, loss: float, eval_loss: float | None) -> TrainingProgress:
    return TrainingProgress(epoch, 12, 10, 10, loss, eval_loss, 500.0)


def trained(directory: Path, state: str = "complete") -> dict[str, NodeView]:
    (directory / "history.json").write_text(json.dumps(HISTORY))
    return {Node.TRAINER: node(state, artifact(Channel.MODEL_RUN, directory))}


def describe(*events: Event, nodes: dict[str, NodeView] | None = None) -> TrainingPart | None:
    run = make_run(*events, config=penguins())
    return describe_training(run, nodes or {}, None, lambda name: None)


def test_a_complete_training_is_read_from_its_artifact(tmp_path: Path) -> None:
    restarted = (PLANNED, TrainingResumed(epoch=1, step=0), RESTART, progress(2, 0.4, 0.5))
    part = describe(*restarted, nodes=trained(tmp_path))
    assert part
    assert [epoch.number for epoch in part.epochs] == [1, 2]
    # The first epoch was trained before the interruption, by another run.
    assert [epoch.values["examples_per_second"] for epoch in part.epochs] == [None, 500]
    assert part.epochs[1].values["eval_loss"] == 0.5
    assert (part.best_epoch, part.planned_epochs, part.cached_from) == (2, 12, None)
    assert part.facts["global batch size"] == "100"
    assert part.facts["training.learning_rate (tuned)"] == "0.01"
    # The run sends one event a second, and this one is the fourth.
    assert [(r.seconds, r.cause) for r in part.restarts] == [(3.0, "worker 1 was killed")]
    assert part.resumed_from_epoch == 1


def test_a_cached_training_names_the_run_that_trained(tmp_path: Path) -> None:
    first = make_run(RESTART, progress(2, 0.4, 0.5))
    runs = {"first": first}
    part = describe_training(make_run(), trained(tmp_path, "cached"), "first", runs.get)
    assert part
    assert part.cached_from == "first"
    assert len(part.epochs) == 2
    assert len(part.restarts) == 1
    without_logs = describe_training(make_run(), trained(tmp_path, "cached"), "gone", runs.get)
    assert without_logs
    assert (len(without_logs.epochs), without_logs.restarts) == (2, ())


def test_a_cached_training_stays_cached_when_gc_removed_the_run_that_trained(
    tmp_path: Path,
) -> None:
    # The events of this run are not those of the training.
    run = make_run(ComponentChanged(Node.TRAINER, "cached", 0.1), RESTART, progress(2, 0.4, 0.5))
    for nodes in (trained(tmp_path, "cached"), trained(tmp_path)):
        part = describe_training(run, nodes, None, lambda _: None)
        assert part
        assert (part.is_cached, part.cached_from, part.restarts) == (True, None, ())
    by_itself = describe(nodes=trained(tmp_path))
    assert by_itself
    assert not by_itself.is_cached


def test_an_interrupted_training_is_read_from_its_events() -> None:
    part = describe(*(envelope.event for envelope in EventReader(RECORDED).read()))
    assert part
    assert [epoch.number for epoch in part.epochs] == [1, 2, 3, 4, 5, 6, 7]
    assert part.epochs[3].values["eval_loss"] == pytest.approx(0.23447, abs=1e-5)
    assert (part.best_epoch, part.planned_epochs) == (None, 12)


def test_an_epoch_that_was_trained_twice_counts_once() -> None:
    part = describe(PLANNED, progress(1, 0.9, 0.8), RESTART, progress(1, 0.7, 0.6))
    assert part
    assert [epoch.values["loss"] for epoch in part.epochs] == [0.7]
    assert part.facts["training rows"] == "1,000"
    assert part.facts["optimizer"] == "adam"


def test_the_kept_epoch_is_known_without_the_artifact() -> None:
    ended = TrainingEnded(12, last_epoch=3, best_epoch=2, best_loss=0.1, best_eval_loss=0.2)
    part = describe(PLANNED, progress(1, 0.9, 0.8), ended)
    assert part
    assert part.best_epoch == 2


def test_a_search_alone_is_shown() -> None:
    trial = TrialResult("1", {"training.epochs": 3}, "done", 0.5)
    results = SearchResults("eval_loss", (trial,), "1", "abc", {"training.epochs": 3})
    part = describe(RunEnded(0, tuning=results))
    assert part
    assert (part.search, part.epochs) == (results, ())


def test_a_run_that_stopped_before_the_training_has_none() -> None:
    assert describe(*complete(Node.EXAMPLE_GEN)) is None


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_a_damaged_history_is_left_out(tmp_path: Path, content: str) -> None:
    nodes = trained(tmp_path)
    (tmp_path / "history.json").write_text(content)
    assert describe(nodes=nodes) is None


def test_a_training_of_trees_has_iterations_and_the_importance_of_columns(tmp_path: Path) -> None:
    history = {
        **HISTORY,
        "unit": "iteration",
        "importance_by_gain": {"a": 0.75, "b": 0.25},
        "importance_by_split": {"b": 0.5, "a": 0.5},
    }
    nodes = trained(tmp_path)
    (tmp_path / "history.json").write_text(json.dumps(history))
    config = penguins()
    model = config.model.model_copy(update={"family": "trees"})
    run = make_run(config=config.model_copy(update={"model": model}))
    part = describe_training(run, nodes, None, lambda name: None)
    assert part
    assert (part.unit, part.planned_epochs) == ("iteration", 10_000)
    assert part.importance["gain"] == {"a": 0.75, "b": 0.25}
    assert part.facts["leaves of a tree"] == "31"
    assert "optimizer" not in part.facts


def test_a_blend_has_its_parts_and_the_curve_of_the_first_one(tmp_path: Path) -> None:
    trees = {
        "part": "trees", "number": 1, "seed": 7, "weight": 0.75, "unit": "iteration",
        "best_epoch": 2, "eval_loss": 0.5, "epochs": [{"loss": 0.7}, {"loss": 0.6}, {"loss": 0.5}],
    }  # fmt: skip
    network = {**trees, "part": "network", "weight": 0.25, "unit": "epoch", "best_epoch": 1}
    network["temperature"] = 1.5
    history = {**HISTORY, "parts": [network, trees], "blend": {"eval_loss": 0.4}}
    nodes = trained(tmp_path)
    (tmp_path / "history.json").write_text(json.dumps(history))
    part = describe(
        TrainingProgress(2, 9, 1, 1, 0.5, 0.5, 100.0),
        TrainingProgress(2, 2000, 1, 1, 0.5, 0.5, 999.0, unit="iteration"),
        nodes=nodes,
    )
    assert part
    assert part.blend
    assert part.blend.eval_loss == 0.4
    assert [(p.name, p.weight, p.unit, len(p.epochs)) for p in part.blend.parts] == [
        ("network 1", 0.25, "epoch", 3),
        ("trees 1", 0.75, "iteration", 3),
    ]
    assert [p.temperature for p in part.blend.parts] == [1.5, 1.0]
    assert (part.unit, part.planned_epochs) == ("epoch", 9)
    assert part.epochs[1].values["examples_per_second"] == 100.0
