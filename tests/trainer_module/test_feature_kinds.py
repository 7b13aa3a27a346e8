"""Every kind of the union `Feature` is known wherever the training code depends on the kind."""

from typing import get_args

import pytest

from pipeline.config.sections.features import Feature, Text
from trainer_module import preprocessing
from trainer_module.names import count_ids

SECTIONS = {section().kind: section for section in get_args(get_args(Feature)[0])}


@pytest.mark.parametrize("kind", SECTIONS)
def test_transform_parses_and_preprocesses_the_kind(kind: str) -> None:
    parsed = [
        *preprocessing._PARSERS,
        *preprocessing._READ_AS_NUMBER,
        *preprocessing._READ_AS_STRIPPED_TEXT,
    ]
    assert parsed.count(kind) == 1
    assert kind in preprocessing._PREPROCESSORS


@pytest.mark.parametrize("kind", SECTIONS)
def test_the_network_embeds_the_kind_or_takes_it_as_a_number(kind: str) -> None:
    ids = count_ids(SECTIONS[kind](), vocabulary_size=7)
    assert ids is None or ids > 1


def test_an_unknown_kind_does_not_silently_become_a_number() -> None:
    unknown = Text.model_construct(kind="image")
    with pytest.raises(ValueError, match="does not know features of kind image"):
        count_ids(unknown, vocabulary_size=7)
