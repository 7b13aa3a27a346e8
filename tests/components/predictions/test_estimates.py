"""The difference of independent estimates."""

from components.predictions.estimates import Estimate, subtract_independent


def test_independent_intervals_are_combined_by_squares() -> None:
    difference = subtract_independent(Estimate(5.0, 2.0, 9.0), Estimate(1.0, 0.0, 5.0))
    assert difference == Estimate(4.0, -1.0, 4 + 17**0.5)


def test_without_an_interval_or_a_value_the_difference_has_none() -> None:
    whole, nothing = Estimate(1.0, 0.0, 5.0), Estimate(None, None, None)
    assert subtract_independent(Estimate(5.0, None, None), whole) == Estimate(4.0, None, None)
    assert subtract_independent(nothing, whole) == nothing
