"""A whole run with exports: files of the network that run without TensorFlow."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, Project, Result

pytestmark = pytest.mark.slow

EXPORTS = (
    "exports=[{format: onnx}, {format: tflite, quantize: float16, may_worsen_by: 0.05}, "
    "{format: tflite, quantize: dynamic, may_worsen_by: 0.05}]"
)
NAMES = ["onnx", "tflite-float16", "tflite-dynamic"]


@pytest.fixture(scope="module")
def pushed(project: Project) -> Result:
    result = project.run("--set", EXPORTS)
    assert result.code == 0, result.output
    return result


def read_exports(result: Result) -> dict[str, dict[str, Any]]:
    return {export["name"]: export for export in result.summary["exports"]}


def test_each_export_is_judged_and_told_in_the_terminal_and_on_the_page(pushed: Result) -> None:
    exports = read_exports(pushed)
    assert list(exports) == ["model", *NAMES]
    assert [exports[name]["passed"] for name in NAMES] == [True] * 3, exports
    model = exports["model"]
    assert model["metrics"]["auc"] == pytest.approx(pushed.summary["metrics"][""]["auc"], abs=1e-9)
    sizes = [exports[name]["bytes"] for name in NAMES]
    assert sizes == sorted(sizes, reverse=True)
    assert exports["onnx"]["max_difference"] < 1e-5 < exports["tflite-float16"]["max_difference"]
    assert re.search(r"tflite-dynamic +passed", pushed.output)
    page = Path(pushed.summary["report"]).read_text(encoding="utf-8")
    assert "<h3>Exports</h3>" in page
    on_page = pushed.report()["quality"]["exports"]
    assert [export["name"] for export in on_page] == ["model", *NAMES]


def test_the_version_has_the_exports_and_the_guides_program_runs_them(
    project: Project, pushed: Result, tmp_path: Path
) -> None:
    directory = Path(pushed.summary["pushed"], "assets.extra/exports")
    text = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    [program] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "run_export.py").write_text(program, encoding="utf-8")
    with open(project.directory / "shop.csv", encoding="utf-8", newline="") as file:
        rows = [{"price": float(r["price"]), "color": r["color"]} for r in csv.DictReader(file)]
    rows = [*rows[:20], {"price": None}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    answers = {}
    for name in ("onnx", "tflite-float16"):
        done = subprocess.run(
            [sys.executable, "run_export.py", str(directory), name, "rows.json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        answers[name] = json.loads(done.stdout)["probability"]
    assert len(answers["onnx"]) == 21
    assert answers["tflite-float16"] == pytest.approx(answers["onnx"], abs=5e-3)
    assert max(answers["onnx"]) - min(answers["onnx"]) > 0.3


@pytest.mark.long
def test_a_failed_export_does_not_stop_the_push(project: Project, pushed: Result) -> None:
    """Nothing but the exports changed: one process for the one export runs again."""
    impossible = "exports=[{format: tflite, quantize: dynamic, may_worsen_by: 0}]"
    result = project.run("--set", impossible)
    assert result.code == 0, result.output
    assert result.states()["Evaluator"] == "cached"
    export = read_exports(result)["tflite-dynamic"]
    version = Path(result.summary["pushed"])
    assert version.name != Path(pushed.summary["pushed"]).name
    has_exports = (version / "assets.extra/exports").exists()
    # Rounding may also improve every metric of so few rows.
    assert has_exports is export["passed"]
    if not export["passed"]:
        assert f"tflite-dynamic failed: {export['reasons'][0]}" in result.output
