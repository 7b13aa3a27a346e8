"""When workers load a version, and when they switch."""

from typing import Any

from serving.processes.messages import Discard, Drain, Load, Switch, Version
from serving.processes.rollout import Rollout

ONE, TWO, THREE = (Version(v, f"/serving/{v}", "") for v in "123")


class Recorded:
    """A rollout with the messages that it sent: (worker, message)."""

    def __init__(self, workers: int = 2) -> None:
        self.sent: list[tuple[int, Any]] = []
        self.rollout = Rollout(lambda worker, message: self.sent.append((worker, message)))
        self.rollout.propose(ONE)
        for worker in range(workers):
            self.rollout.join(worker)

    def start(self) -> Rollout:
        for worker in sorted(self.rollout._members):
            self.rollout.loaded(worker, "1")
        self.sent.clear()
        return self.rollout

    def take(self) -> list[tuple[int, Any]]:
        sent, self.sent = self.sent, []
        return sent


def load(version: Version) -> Load:
    return Load(version.version, version.directory, version.statistics)


def test_all_workers_switch_when_the_last_one_has_loaded() -> None:
    recorded = Recorded()
    assert recorded.take() == [(0, load(ONE)), (1, load(ONE))]
    recorded.rollout.loaded(1, "1")
    assert recorded.take() == []
    recorded.rollout.loaded(0, "1")
    assert recorded.take() == [(0, Switch()), (1, Switch())]
    assert recorded.rollout.current == ONE


def test_no_worker_switches_if_one_cannot_load() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.propose(TWO)
    rollout.loaded(0, "2")
    rollout.failed(1, "2", "damaged")
    assert recorded.take()[2:] == [
        (0, Discard("damaged", "2")),
        (1, Discard("damaged", "2")),
    ]
    assert (rollout.current, rollout.candidate, rollout.problem) == (ONE, None, "damaged")


def test_going_back_to_the_current_version_ends_the_problem() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.propose(TWO)
    rollout.failed(0, "2", "damaged")
    rollout.propose(ONE)
    assert rollout.problem == ""
    assert recorded.take()[-1] == (1, Discard(""))


def test_a_restarted_worker_loads_the_current_version_first() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.leave(0)
    rollout.join(0)
    rollout.propose(TWO)
    assert recorded.take() == [(0, load(ONE)), (1, load(TWO))]
    rollout.loaded(0, "1")
    assert recorded.take() == [(0, Switch()), (0, load(TWO))]
    rollout.loaded(1, "2")
    assert recorded.take() == []
    rollout.loaded(0, "2")
    assert rollout.current == TWO


def test_a_worker_that_restarts_during_a_switch_follows() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.leave(0)
    rollout.join(0)
    rollout.propose(TWO)
    rollout.loaded(1, "2")
    assert rollout.current == TWO
    recorded.take()
    rollout.loaded(0, "1")
    assert recorded.take() == [(0, Discard("", "1")), (0, load(TWO))]
    rollout.loaded(0, "2")
    assert recorded.take() == [(0, Switch())]


def test_a_version_that_ends_processes_is_given_up() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.propose(TWO)
    rollout.leave(0)
    assert rollout.candidate == TWO
    rollout.join(0)
    rollout.loaded(0, "1")
    rollout.leave(0)
    assert rollout.candidate is None
    assert "processes ended while they loaded it" in rollout.problem


def test_a_first_version_that_cannot_be_loaded_leaves_none() -> None:
    recorded = Recorded()
    recorded.rollout.failed(0, "1", "damaged")
    assert (recorded.rollout.current, recorded.rollout.candidate) == (None, None)
    assert recorded.rollout.problem == "damaged"


def test_a_worker_that_cannot_load_the_current_version_again_is_ended() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.leave(0)
    rollout.join(0)
    recorded.take()
    rollout.failed(0, "1", "gone")
    assert recorded.take() == [(0, Drain())]


def test_without_a_worker_on_the_current_version_the_candidate_replaces_it() -> None:
    recorded = Recorded(1)
    rollout = recorded.start()
    rollout.leave(0)
    rollout.join(0)
    rollout.propose(TWO)
    recorded.take()
    rollout.failed(0, "1", "gone")
    assert recorded.take() == [(0, load(TWO))]
    rollout.loaded(0, "2")
    assert recorded.take() == [(0, Switch())]
    assert rollout.current == TWO


def test_a_problem_of_the_pointer_discards_no_version() -> None:
    """A restarted worker may be loading the current version."""
    recorded = Recorded(1)
    rollout = recorded.start()
    rollout.leave(0)
    rollout.join(0)
    rollout.report("the pointer is damaged")
    assert recorded.take() == [(0, load(ONE)), (0, Discard("the pointer is damaged"))]
    rollout.loaded(0, "1")
    assert recorded.take() == [(0, Switch()), (0, Discard("the pointer is damaged"))]


def test_a_version_that_is_loaded_too_late_leaves_the_next_one() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.propose(TWO)
    rollout.failed(0, "2", "no memory")
    rollout.propose(THREE)
    recorded.take()
    rollout.loaded(1, "2")
    assert recorded.take() == [(1, Discard("no memory", "2"))]
    rollout.loaded(0, "3")
    rollout.loaded(1, "3")
    assert rollout.current == THREE


def test_one_version_rolls_out_at_a_time() -> None:
    recorded = Recorded()
    rollout = recorded.start()
    rollout.propose(TWO)
    rollout.propose(THREE)
    assert rollout.candidate == TWO
