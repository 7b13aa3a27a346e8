"""Keys of candidates."""

from tfx.types import standard_artifacts

from components.served_model.keys import add_fingerprint, hash_texts, make_candidate_key
from pipeline.core.contracts import Property


def test_a_hash_depends_on_the_boundaries_of_the_parts() -> None:
    assert hash_texts("ab", "c") != hash_texts("a", "bc")
    assert hash_texts("a", "") != hash_texts("a")


def test_a_candidate_key_contains_the_fingerprint_of_the_examples() -> None:
    examples = standard_artifacts.Examples()
    without = make_candidate_key("key", [examples])
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, "rows")
    assert make_candidate_key("key", [examples]) == add_fingerprint("key", "rows")
    assert make_candidate_key("key", [examples]) != without
