"""What holds for one run is asked of both."""

from pipeline.runners.comparing.pair import Pair


def test_a_function_is_applied_to_both_sides_in_order() -> None:
    lengths = Pair("a", "bcd").map(len)
    assert lengths == Pair(1, 3)
    assert [*lengths] == [1, 3]
    assert not lengths.is_equal()
    assert Pair(2, 2).is_equal()
