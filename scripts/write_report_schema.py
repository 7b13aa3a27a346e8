"""Prints docs/report.schema.json, made from the dataclasses of a run's page."""

from __future__ import annotations

import json

from pipeline.report.files import report_schema

if __name__ == "__main__":
    print(json.dumps(report_schema(), indent=1, ensure_ascii=False))
