"""Keys of candidates."""

from tfx.types import standard_artifacts

from components.served_model.keys import (
    add_fingerprint,
    hash_texts,
    make_candidate_key,
    make_push_key,
)
from pipeline.core.contracts import Property


def test_a_hash_depends_on_the_boundaries_of_the_parts() -> None:
    assert hash_texts("ab", "c") != hash_texts("a", "bc")
    assert hash_texts("a", "") != hash_texts("a")


def test_a_hash_stays_the_same_over_releases() -> None:
    """Pointers that earlier releases wrote hold such keys."""
    assert hash_texts("a", "bc") == "5310a58788781ab25d5ad7c3f8503582"


def test_a_candidate_key_contains_the_fingerprint_of_the_examples() -> None:
    examples = standard_artifacts.Examples()
    without = make_candidate_key("key", [examples])
    assert without == add_fingerprint("key", "")
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, "rows")
    assert make_candidate_key("key", [examples]) == add_fingerprint("key", "rows")
    assert make_candidate_key("key", [examples]) != without
    assert make_candidate_key("other rules", [examples]) != add_fingerprint("key", "rows")


def test_a_push_key_is_the_run_key_of_a_model_without_exports() -> None:
    assert make_push_key("run", "") == "run"
    with_exports = (make_push_key(*keys) for keys in (("run", "a"), ("run", "b"), ("other", "a")))
    assert len({"run", "other", *with_exports}) == 5
