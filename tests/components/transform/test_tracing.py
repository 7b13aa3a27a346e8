"""Questions about one preprocessing function share a trace, and get the answers that they got."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
import tensorflow_transform as tft
from tensorflow_transform import impl_helper, schema_inference

from components.transform.tracing import shared_trace

_SPECS = {name: tf.TensorSpec([None, 1], tf.float32) for name in ("scaled", "plain", "unused")}
_OTHER = {name: _SPECS[name] for name in ("plain", "scaled")}


class Function:
    """Counts how often it is traced."""

    def __init__(self) -> None:
        self.traces = 0

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        self.traces += 1
        return {
            "scaled": tft.scale_to_z_score(inputs["scaled"]),
            "plain": inputs["plain"],
        }


def ask(function: Any, specs: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    return (
        tft.get_analyze_input_columns(function, specs),
        tft.get_transform_input_columns(function, specs),
    )


def test_all_questions_and_the_analysis_share_a_trace(tmp_path: Path) -> None:
    function, apart = Function(), Function()
    with shared_trace(str(tmp_path)):
        assert ask(function, _SPECS) == ask(function, _SPECS) == (["scaled"], ["scaled", "plain"])
        impl_helper.trace_preprocessing_function(function, _SPECS, False, str(tmp_path))
        assert function.traces == 1
    assert ask(apart, _SPECS) == (["scaled"], ["scaled", "plain"])
    assert apart.traces == 2


def test_a_trace_serves_no_other_function_or_columns_and_no_question_after_the_analysis(
    tmp_path: Path,
) -> None:
    function, other = Function(), Function()
    with shared_trace(str(tmp_path)):
        ask(function, _SPECS)
        ask(function, _OTHER)
        assert function.traces == 2
        ask(other, _OTHER)
        assert other.traces == 1
        impl_helper.trace_preprocessing_function(other, _OTHER, False, str(tmp_path))
        ask(other, _OTHER)
        assert other.traces == 2


def test_tft_traces_as_before_after_a_failure(tmp_path: Path) -> None:
    stock = impl_helper.trace_preprocessing_function
    with pytest.raises(ZeroDivisionError), shared_trace(str(tmp_path)):
        1 / 0  # noqa: B018
    assert impl_helper.trace_preprocessing_function is stock


def test_what_is_known_of_the_outputs_before_the_analysis_needs_no_trace(tmp_path: Path) -> None:
    function = Function()
    tell = schema_inference.get_traced_metadata_fn
    with shared_trace(str(tmp_path)):
        ask_tft = schema_inference.get_traced_metadata_fn
        annotations = ask_tft(function, {}, None, evaluate_schema_overrides=False)
        assert annotations() == {}
    assert function.traces == 0
    assert schema_inference.get_traced_metadata_fn is tell
