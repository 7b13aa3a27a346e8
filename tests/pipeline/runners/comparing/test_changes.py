"""Each key that differs is named once, with both values."""

from runs_for_pages import OUTPUT, make_run

from pipeline.config.yaml_text import to_yaml
from pipeline.report.comparison import Change
from pipeline.report.content import DataFile
from pipeline.runners.comparing.changes import (
    describe_table,
    flatten_configuration,
    list_changes,
)
from pipeline.runners.reporting.parts.lineage import describe_lineage


def test_only_keys_that_differ_are_listed() -> None:
    before = {"same": "1", "changed": "a", "gone": "x"}
    after = {"same": "1", "changed": "b", "new": "y"}
    assert list_changes(before, after) == (
        Change("changed", "a", "b"),
        Change("gone", "x", None),
        Change("new", None, "y"),
    )


def test_keys_of_a_configuration_are_those_of_set() -> None:
    content = {
        "name": "taxi",
        "features": {"trip.miles": {"kind": "numeric"}, "fare": {}},
        "training": {"epochs": 3, "devices": None, "rate": 0.001},
        "evaluation": {"slices": [["a"], ["b", "c"]]},
    }
    assert flatten_configuration(to_yaml(content)) == {
        "name": "taxi",
        'features."trip.miles".kind': "numeric",
        "features.fare": "{}",
        "training.epochs": "3",
        "training.devices": "null",
        "training.rate": "0.001",
        "evaluation.slices": '[["a"], ["b", "c"]]',
    }


def test_a_configuration_that_was_not_recorded_is_empty() -> None:
    lineage = describe_lineage(make_run(record=None), {}, {}, OUTPUT)
    assert flatten_configuration(lineage.configuration) == {}


def test_the_table_is_described_by_files_fingerprint_and_rows() -> None:
    lineage = describe_lineage(make_run(), {}, {}, OUTPUT)
    assert describe_table(lineage, {"train": 1200}) == {"rows of train": "1,200"}
    files = (DataFile("a.csv", 1), DataFile("gone.csv", None))
    known = type(lineage)(**{**vars(lineage), "data_files": files, "fingerprint": "f00"})
    assert describe_table(known, {}) == {
        "file a.csv": "1 byte", "file gone.csv": "?", "fingerprint": "f00",
    }  # fmt: skip
