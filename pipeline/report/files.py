"""The two files of a run's page: report.html for people, report.json for programs."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, RootModel, ValidationError

from pipeline.core.errors import ConfigError
from pipeline.core.events import to_json
from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json, short_message
from pipeline.report.comparison import Comparison
from pipeline.report.content import FORMAT, Report
from pipeline.report.page import render_comparison, render_page

_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_report(report: Report, html: Path, json: Path) -> None:
    """Writes the page and its content, each atomically. The directories must exist."""
    write_text_atomically(json, report_to_json(report), durable=False)
    write_text_atomically(html, render_page(report), durable=False)


def write_comparison(comparison: Comparison, html: Path, json: Path) -> None:
    """Writes the page of two runs and its content, each atomically. The directories must exist."""
    write_text_atomically(json, report_to_json(comparison), durable=False)
    write_text_atomically(html, render_comparison(comparison), durable=False)


def report_to_json(report: Report | Comparison) -> str:
    """Returns the report as JSON; NaN and infinite numbers are null."""
    return readable_json(to_json(report)) + "\n"


def read_report(path: Path) -> Report:
    """Returns the report that `write_report` wrote. A null in place of a number becomes NaN.

    Raises:
      ConfigError: the file is missing, damaged, or of another format.
    """
    rewrite = "`python -m pipeline report` writes the file of a run anew"
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the report {path}: {error}", rewrite) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ConfigError(f"{path} is not a report of format {FORMAT}", rewrite)
    try:
        return _parse(content)
    except ValidationError as error:
        cause = short_message(str(error.errors()[0]))
        raise ConfigError(f"the report {path} is damaged: {cause}", rewrite) from error


def report_schema() -> dict[str, Any]:
    """Returns the JSON schema of report.json, described by the docstrings of the dataclasses."""
    content = _report_file().model_json_schema()
    schema: dict[str, Any] = _with_nullable_numbers(content)
    definitions = schema.pop("$defs")
    report = definitions.pop("Report")
    return {"$schema": _SCHEMA_DIALECT, **report, "$defs": definitions}


@cache
def _report_file() -> type[RootModel[Report]]:
    """Returns the model of report.json. Whoever writes a report does not wait until it is built."""

    class ReportFile(RootModel[Report]):
        # Pydantic passes the setting on to all dataclasses inside.
        model_config = ConfigDict(use_attribute_docstrings=True)

    return ReportFile


def _parse(content: dict[str, Any]) -> Report:
    model = _report_file()
    try:
        return model.model_validate(content).root
    except ValidationError as error:
        lost = [
            e["loc"] for e in error.errors() if e["type"] == "float_type" and e["input"] is None
        ]
        if not lost:
            raise
    for place in lost:
        _set(content, place, math.nan)
    return model.model_validate(content).root


def _set(content: Any, place: tuple[int | str, ...], value: float) -> None:
    for key in place[:-1]:
        content = content[key]
    content[place[-1]] = value


def _with_nullable_numbers(schema: Any) -> Any:
    """Returns the schema with null allowed for every number: NaN is written as null."""
    if isinstance(schema, list):
        return [_with_nullable_numbers(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _with_nullable_numbers(part) for key, part in schema.items()}
    return {**parts, "type": ["number", "null"]} if parts.get("type") == "number" else parts
