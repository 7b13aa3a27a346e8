"""Tables and errors keep their content as JSON, without keys that have no value."""

import json

import pytest

from pipeline.core.events import (
    CheckedRequest,
    Failure,
    Measurement,
    SearchResults,
    ServingCheckResult,
    TrialResult,
    to_json,
)
from pipeline.core.events.payloads import from_json

TRIALS = (
    TrialResult("1", {"training.epochs": 3}, "failed", message="diverged"),
    TrialResult("2", {"training.epochs": 5}, "done", 0.5, {"steps": 9.0}, seconds=2.0, runs=1),
)


def test_a_field_is_left_out_only_where_its_class_says_so() -> None:
    assert to_json(Failure("interrupted")) == {"message": "interrupted"}
    assert to_json(TRIALS[0])["objective"] is None


def test_the_table_of_a_search_survives_its_json() -> None:
    results = SearchResults("eval_loss", TRIALS, "2", "search-1", TRIALS[1].values)
    content = json.loads(json.dumps(to_json(results)))
    assert list(content) == ["objective", "trials", "best", "search", "best_values"]
    assert SearchResults.from_json(content) == results


def test_a_missing_field_is_an_error_and_an_unknown_field_is_not() -> None:
    assert from_json(Failure, {"message": "a", "later": 1}) == Failure("a")
    with pytest.raises(TypeError, match="message"):
        from_json(Failure, {"hint": "b"})


def test_the_result_of_a_serving_check_survives_its_json() -> None:
    result = ServingCheckResult(
        passed=False,
        problems=("it is slow",),
        rows=5,
        requests=(CheckedRequest("no rows", "serving_default", 0, "answered"),),
        measurements=(Measurement("load", 9.0, "s", 2.0), Measurement("p50 of 1 row", 1.0, "ms")),
    )
    assert ServingCheckResult.from_json(json.loads(json.dumps(to_json(result)))) == result
    assert [each.is_exceeded for each in result.measurements] == [True, False]
