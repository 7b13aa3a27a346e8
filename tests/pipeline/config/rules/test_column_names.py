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


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["a b", "a_c", "a (b)"], None),
        (["score +", "x", "score -"], ("score -", "could not tell it from 'score +'")),
        (["fare", "Fare"], None),
        (["x", "self"], ("self", "could not tell it from TensorFlow's own parameter self")),
        (["m", "m²"], ("m²", "could not load the model: m² is no parameter of Python")),
        (["größe", "日本", "1st", "x_1"], None),
    ],
)
def test_a_column_that_no_client_could_send_is_found(
    columns: list[str], found: tuple[str, str] | None
) -> None:
    unservable = first_unservable(columns)
    assert (unservable and unservable[0]) == (found and found[0])
    assert unservable is None or found is None or unservable[1].endswith(found[1])
