"""The n-grams that are proposed for texts."""

import pytest

from pipeline.onboarding.judging.text_settings import propose_text


@pytest.fixture
def propose_settings(to_columns):
    return lambda texts, outputs=1: propose_text(to_columns({"text": texts})["text"], outputs)


def test_short_texts_get_ngrams_of_characters_and_long_texts_do_not(propose_settings):
    names = propose_settings([f"Rose Hill {i}" for i in range(200)])
    words = "the same words again and again " * 20
    reports = propose_settings([f"{i} {words}" for i in range(200)])
    assert (names.character_ngrams, reports.character_ngrams) == (4, 0)
    assert names.word_ngrams == reports.word_ngrams == 2


@pytest.mark.parametrize(("words", "expected"), [(1, 16), (50, 104), (5000, 512)])
def test_nearly_all_texts_keep_all_ngrams_up_to_a_bound(propose_settings, words, expected):
    """A word begins two n-grams: itself, and with its successor."""
    texts = ["ab " * words] * 300
    assert propose_settings([*texts, "ab " * 9000]).max_ngrams == expected


def test_weights_stay_bounded_with_many_classes_and_few_texts(propose_settings):
    texts = [f"word{i} " * 40 for i in range(9000)]
    buckets = [propose_settings(texts, outputs).tfidf_buckets for outputs in (1, 8, 9, 200)]
    assert buckets == [2**17, 2**17, 2**16, 2**12]
    assert propose_settings(texts[:10]).tfidf_buckets == 2**10
