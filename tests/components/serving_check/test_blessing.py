"""The InfraBlessing is one of TFX's, and holds the result of the check."""

from __future__ import annotations

from pathlib import Path

import pytest
from tfx.types import standard_artifacts

from components.serving_check.blessing import describe_value, read_result, write_blessing
from pipeline.core.events import CheckedRequest, Measurement, ServingCheckResult

PASSED = ServingCheckResult(
    passed=True,
    problems=(),
    rows=5,
    requests=(CheckedRequest("no rows", "serving_default", 0, "answered"),),
    measurements=(
        Measurement("load", 0.2512, "s", 120.0),
        Measurement("p50 of 1 row", 0.5, "ms"),
        Measurement("peak memory", 533.1, "MB", 16_000.0),
    ),
)
FAILED = ServingCheckResult(False, ("the process ended by SIGSEGV",), 5, (), ())


@pytest.mark.parametrize(
    ("result", "blessed", "file", "note"),
    [
        (PASSED, 1, "INFRA_BLESSED", "load 0.251 s, peak memory 533 MB"),
        (FAILED, 0, "INFRA_NOT_BLESSED", "failed: the process ended by SIGSEGV"),
        (None, 0, "INFRA_NOT_BLESSED", "not checked: the model is not blessed"),
    ],
)
def test_the_outcome_is_written_as_tfx_writes_it_and_read_again(
    result: ServingCheckResult | None, blessed: int, file: str, note: str, tmp_path: Path
) -> None:
    artifact = standard_artifacts.InfraBlessing()
    artifact.uri = str(tmp_path)
    write_blessing(artifact, result)
    assert artifact.get_int_custom_property("blessed") == blessed
    assert artifact.get_string_custom_property("note") == note
    assert {path.name for path in tmp_path.iterdir()} - {"serving_check.json"} == {file}
    assert read_result(str(tmp_path)) == result


@pytest.mark.parametrize("content", ["damaged", "[]", '{"passed": true}', '{"problems": 3}'])
def test_a_damaged_file_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "serving_check.json").write_text(content)
    with pytest.raises(ValueError):  # noqa: PT011 (JSON's own error has no common message)
        read_result(str(tmp_path))


def test_values_have_their_units() -> None:
    assert describe_value(Measurement("largest difference", 1.31e-7, "")) == "1.31e-07"
    assert describe_value(Measurement("peak memory", 12_345.0, "MB")) == "12,345 MB"
