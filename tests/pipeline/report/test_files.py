import json
import math
from dataclasses import replace
from pathlib import Path

import example_reports as examples
import jsonschema
import pytest

from pipeline.core.errors import ConfigError
from pipeline.report.content import MetricRow, Report
from pipeline.report.files import read_report, report_schema, report_to_json, write_report


@pytest.mark.parametrize("name", [*examples.ALL, "wide"])
def test_a_report_is_read_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    report = getattr(examples, name)()
    (tmp_path / "report.json").write_text(report_to_json(report), encoding="utf-8")
    again = report_to_json(read_report(tmp_path / "report.json"))
    assert json.loads(again) == json.loads(report_to_json(report))


def test_both_files_are_written_and_the_content_is_equal(tmp_path: Path) -> None:
    report = examples.gate_stop()
    write_report(report, tmp_path / "report.html", tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report
    assert "<!DOCTYPE html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == 2


def with_metric(value: float) -> Report:
    report = examples.pushed()
    assert report.quality is not None
    assert report.training is not None
    row = MetricRow("auc", value, value, "", None)
    epoch = replace(report.training.epochs[0], values={"loss": value})
    return replace(
        report,
        training=replace(report.training, epochs=(epoch,)),
        quality=replace(report.quality, metrics=(row,)),
        data=replace(report.data, figures=None),
        seconds=value,
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_without_a_value_are_null(value: float, tmp_path: Path) -> None:
    text = report_to_json(with_metric(value))
    assert json.loads(text)["quality"]["metrics"][0]["value"] is None
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    assert read_report(path).seconds is None


def test_a_null_in_place_of_a_number_becomes_nan(tmp_path: Path) -> None:
    report = examples.pushed()
    content = json.loads(report_to_json(report))
    content["data"]["figures"]["columns"][0]["attention"] = None
    path = tmp_path / "report.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    figures = read_report(path).data.figures
    assert figures is not None
    assert math.isnan(figures.columns[0].attention)


@pytest.mark.parametrize("name", ["hostile", "multiclass", "regression", "tuned"])
def test_the_schema_accepts_what_is_written(name: str) -> None:
    content = json.loads(report_to_json(examples.ALL[name]()))
    jsonschema.Draft202012Validator(report_schema()).validate(content)


def test_the_schema_refuses_a_report_without_a_verdict_and_explains_each_field() -> None:
    content = json.loads(report_to_json(examples.pushed()))
    del content["verdict"]
    schema = report_schema()
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(content))
    assert [error.validator for error in errors] == ["required"]
    assert schema["$defs"]["Epoch"]["properties"]["number"]["description"] == "From 1 on."


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("", "cannot read"),
        ("[1]", "not a report of format 1"),
        ('{"format": 2}', "not a report of format 1"),
        ('{"format": 1, "run": "x"}', "is damaged"),
    ],
)
def test_a_damaged_file_is_refused_with_its_path(content: str, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=cause) as raised:
        read_report(path)
    assert str(path) in str(raised.value)
    assert "pipeline report" in raised.value.hint


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        read_report(tmp_path / "report.json")
