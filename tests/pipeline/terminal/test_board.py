"""The board keeps the state of each component and the progress of training up to date."""

from dataclasses import replace

from recorded_run import EVENTS

from pipeline.core.events import (
    ComponentChanged,
    Envelope,
    JobProgressed,
    JobStarted,
    PipelineStarted,
    TrainingEnded,
    TrainingProgress,
)
from pipeline.terminal.board import Board

PROGRESS = TrainingProgress(2, 20, 3, 9, 0.5, None, examples_per_second=10.0, seconds_left=7.0)


def updated_board(*events: Envelope) -> Board:
    board = Board(lambda: 0.0)
    for event in events:
        board.update(event)
    return board


def test_components_wait_until_their_event_comes() -> None:
    started = Envelope(PipelineStarted(("Transform", "Trainer")))
    cached = Envelope(ComponentChanged("Transform", "cached", seconds=0.1))
    states = [c.state for c in updated_board(started, cached).components.values()]
    assert states == ["cached", "waiting"]


def test_the_training_of_a_trial_is_not_shown_as_the_training_of_the_trainer() -> None:
    ended = TrainingEnded(20, last_epoch=9, best_epoch=4, best_loss=0.2, best_eval_loss=0.3)
    board = updated_board(Envelope(PROGRESS, trial="1"), Envelope(ended, trial="1"))
    assert board.progress is None
    board.update(Envelope(PROGRESS))
    board.update(Envelope(ended, trial="1"))
    assert board.progress == PROGRESS


def test_a_loss_stays_until_the_next_evaluation() -> None:
    evaluated = replace(PROGRESS, eval_loss=0.4)
    later = replace(PROGRESS, epoch=3, loss=0.3, seconds_left=None)
    board = updated_board(Envelope(evaluated), Envelope(later))
    assert board.progress == replace(later, eval_loss=0.4, seconds_left=7.0)


def test_the_end_of_a_training_shows_the_best_epoch_of_all_trained_epochs() -> None:
    ended = TrainingEnded(20, last_epoch=9, best_epoch=4, best_loss=0.2, best_eval_loss=0.3)
    board = updated_board(Envelope(PROGRESS), Envelope(ended))
    assert board.progress == replace(PROGRESS, epoch=4, epochs=9, loss=0.2, eval_loss=0.3)


def test_a_recorded_run_ends_with_all_components_complete() -> None:
    components = updated_board(*EVENTS).components.values()
    assert {component.state for component in components} == {"complete"}


def test_the_job_on_an_engine_belongs_to_the_running_component() -> None:
    job = JobStarted("flink", "taxi-transform-1", "http://localhost:8081")
    board = updated_board(Envelope(ComponentChanged("Transform", "running")), Envelope(job))
    assert board.job == job
    progress = JobProgressed("taxi-transform-1", 3, 14)
    board.update(Envelope(progress))
    assert board.job_progress == progress
    board.update(Envelope(replace(job, name="taxi-transform-2")))
    assert board.job_progress is None
    board.update(Envelope(progress))
    board.update(Envelope(ComponentChanged("Trainer", "running")))
    assert (board.job, board.job_progress) == (None, None)
