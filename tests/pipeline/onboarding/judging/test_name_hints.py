"""What the name of a column hints at."""

import pytest

from pipeline.onboarding.judging.name_hints import (
    NamedCoordinate,
    contains_label_name,
    is_entity_name,
    is_identifier_name,
    read_coordinate,
    split_words,
)


@pytest.mark.parametrize("name", ["customerID", "customer_id", "Customer (ID)", "CUSTOMER-ID"])
def test_words_do_not_depend_on_how_a_name_is_written(name):
    assert split_words(name) == ("customer", "id")


def test_abbreviations_are_words_of_their_own():
    assert split_words("XMLFile") == ("xml", "file")


def test_numbering_words_mean_an_identifier_only_at_the_end():
    assert is_identifier_name("order_no")
    assert not is_identifier_name("no_of_rooms")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("customer_id", True), ("userid", True), ("id", True), ("customer", True), ("E-Mail", True),
        ("Kunden-Nr", True), ("Kundennummer", True), ("patient", True), ("Gerät", True),
        ("CustomerName", True),
        ("store_id", False), ("age", False), ("customer_age", False), ("customers", False),
        ("nr_of_users", False), ("device_type", False),
    ],
)  # fmt: skip
def test_only_names_of_someone_with_several_rows_are_entities(name, expected):
    assert is_entity_name(name) is expected


def test_degrees_are_limited_by_what_the_name_means():
    pickup = read_coordinate("pickup_latitude")
    assert pickup == NamedCoordinate("latitude", ("pickup",))
    assert pickup.limit == 90
    assert read_coordinate("lng").limit == 180
    assert read_coordinate("length") is None
    assert read_coordinate("place") is None


@pytest.mark.parametrize(
    ("latitude", "longitude"),
    [("lat", "lon"), ("startLat", "startLng"), ("lat2", "long2"), ("Latitude (end)", "end lon")],
)
def test_both_degrees_of_a_place_have_the_same_other_words(latitude, longitude):
    assert read_coordinate(latitude).place == read_coordinate(longitude).place
    assert read_coordinate(latitude).coordinate == "latitude"
    assert read_coordinate(longitude).coordinate == "longitude"


@pytest.mark.parametrize(
    ("name", "label", "expected"),
    [
        ("price_predicted", "price", True),
        ("PredictedPrice", "price", True),
        ("big_tipper_score", "big_tipper", True),
        ("price", "price", False),
        ("pricey", "price", False),
        ("", "price", False),
    ],
)
def test_only_names_that_contain_the_label_and_more_match(name, label, expected):
    assert contains_label_name(name, label) is expected
