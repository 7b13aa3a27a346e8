"""A link has a speed and a delay."""

from benchmarks.scaling.relay import Direction


def test_packets_leave_one_after_the_other_and_arrive_after_the_delay() -> None:
    direction = Direction(bytes_per_second=1000.0, delay=0.5)
    for _ in range(2):
        direction.send(b"x" * 100, now=10.0)
    assert direction.take_arrived(10.59) is None
    assert direction.take_arrived(10.61) is not None
    assert direction.take_arrived(10.69) is None
    assert direction.take_arrived(10.71) is not None
    assert direction.next_arrival is None


def test_a_link_that_was_idle_sends_at_once() -> None:
    direction = Direction(bytes_per_second=1000.0, delay=0.0)
    direction.send(b"x" * 1000, now=10.0)
    direction.send(b"x" * 1000, now=20.0)
    assert direction.take_arrived(11.0) is not None
    assert direction.next_arrival == 21.0
