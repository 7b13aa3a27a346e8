"""The section `features`."""

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from pipeline.config import Features
from pipeline.config.sections.features import (
    Bucketized,
    Text,
    Timestamp,
    default_embedding_dimension,
)


def test_a_feature_can_be_written_as_its_kind_alone() -> None:
    features = TypeAdapter(Features).validate_python(
        {"fare": "numeric", "city": {"kind": "hashed"}}
    )
    assert [feature.kind for feature in features.values()] == ["numeric", "hashed"]


@pytest.mark.parametrize("boundaries", [(2.0, 1.0), (1.0, 1.0)])
def test_boundaries_that_do_not_ascend_are_refused(boundaries: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError, match="boundaries must be ascending"):
        Bucketized(boundaries=boundaries)


def test_a_zone_is_left_out_of_the_keys_of_earlier_versions() -> None:
    assert "zone" not in Timestamp().model_dump()
    assert Timestamp(zone="Europe/Berlin").model_dump()["zone"] == "Europe/Berlin"
    assert Timestamp(zone="none").model_dump()["zone"] == "none"


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ValidationError, match="there is no time zone 'Berlin'; names are such as"):
        Timestamp(zone="Berlin")
    for wrong in ("+2:00", "+25:00", "+02:60", "02:00"):
        with pytest.raises(ValidationError, match="fixed offsets such as"):
            Timestamp(zone=wrong)


@pytest.mark.parametrize("zone", ["+02:00", "-05:30", "+1400", "+00:00"])
def test_a_fixed_offset_is_a_zone(zone: str) -> None:
    assert Timestamp(zone=zone).zone == zone


def test_a_text_without_n_grams_is_written_as_before() -> None:
    keys = {"kind", "vocabulary_size", "max_tokens", "embedding_dimension"}
    assert set(json.loads(Text().to_json())) == keys
    assert set(json.loads(Text(tfidf_buckets=64).to_json())) == {*keys, "tfidf_buckets"}


def test_an_n_gram_of_a_single_character_is_refused() -> None:
    with pytest.raises(ValidationError, match="must be 0, or 2 to 8"):
        Text(character_ngrams=1)


def test_embeddings_grow_with_the_categories() -> None:
    sizes = [default_embedding_dimension(count) for count in (1, 2, 10, 1000, 10**6)]
    assert sizes == [2, 2, 6, 50, 50]
