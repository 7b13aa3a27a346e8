"""The record of a task as JSON."""

from __future__ import annotations

import pytest
from kubeflow_records import make_record

from pipeline.core.events import Failure
from pipeline.runners.kubeflow.run_records.task_record import TaskRecord, digest_properties


def test_a_record_is_read_back_as_it_was_written() -> None:
    record = make_record(
        "Trainer",
        state="failed",
        reads=("s3://b/examples",),
        makes=("s3://b/model",),
        error=Failure("no rows", "add some"),
        outcome={"metrics": {"": {"auc": 0.5}}, "missed": ["auc"]},
        hardware={"cores": "2"},
        code={"Trainer": "1f2e"},
    )
    assert TaskRecord.from_json(record.to_json().encode()) == record


def test_a_damaged_record_is_no_record() -> None:
    text = make_record("Trainer").to_json().encode()
    for damaged in (b"", text[: len(text) // 2], text.replace(b"complete", b"finished")):
        with pytest.raises(ValueError, match="validation error"):
            TaskRecord.from_json(damaged)


def test_different_properties_have_different_digests() -> None:
    assert digest_properties('{"a": 1}') != digest_properties('{"a": 2}')
