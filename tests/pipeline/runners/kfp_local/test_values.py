"""Values as Kubeflow converts them."""

from __future__ import annotations

import pytest

from pipeline.core.errors import PipelineError
from pipeline.runners.kfp_local.values import check_input, parse_output, to_stored_metadata


def test_only_text_parameters_are_converted() -> None:
    assert check_input("x", "STRING", 3.0) == "3"
    assert check_input("x", "NUMBER_DOUBLE", 3) == 3
    for kind, value in (("NUMBER_INTEGER", True), ("BOOLEAN", 1), ("LIST", "[]")):
        with pytest.raises(PipelineError, match="input parameter x"):
            check_input("x", kind, value)


def test_output_parameters_are_read_by_their_types() -> None:
    assert parse_output(" 3\n", "STRING") == " 3\n"
    assert parse_output(" 3\n", "NUMBER_INTEGER") == 3
    with pytest.raises(ValueError, match="Expecting value"):
        parse_output("three", "NUMBER_INTEGER")


def test_metadata_comes_back_changed_from_ml_metadata() -> None:
    metadata = {"good": True, "splits": ["train"], "shape": {"rows": 3}, "note": "a"}
    assert to_stored_metadata(metadata, "table") == {
        "display_name": "table",
        "store_session_info": "{}",
        "good": 1,
        "splits": {"list": ["train"]},
        "shape": {"struct": {"rows": 3}},
        "note": "a",
    }
    with pytest.raises(PipelineError, match="metadata note: null"):
        to_stored_metadata({"note": None}, "table")
