"""Whether columns can be inputs of a served model under their names."""

import pytest

from pipeline.config.rules.column_names import first_unservable, signature_parameter


@pytest.mark.parametrize(
    ("column", "parameter"),
    [
        ("fare", "fare"),
        ("trip.miles (km)", "trip_miles__km_"),
        ("2nd", "arg_2nd"),
        ("größe", "größe"),
    ],
)
def test_a_parameter_replaces_every_sign_that_python_does_not_allow(
    column: str, parameter: str
) -> None:
    assert signature_parameter(column) == parameter


def test_two_columns_with_the_same_parameter_are_found() -> None:
    assert first_unservable(["a b", "c"]) is None
    assert first_unservable(["a b", "c", "a-b"]) == (
        "a-b",
        "clients of the served model could not tell it from 'a b'",
    )


def test_a_name_that_is_no_parameter_is_found() -> None:
    found = first_unservable(["fare", "a²"])
    assert found is not None
    assert found[0] == "a²"
