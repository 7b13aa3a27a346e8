"""The manifest beside pushed exports, and the program of the guide that reads it."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from exported_model import Exported

from components.model_exporter.manifest import file_name
from pipeline.config import ExportConfig

ROOT = Path(__file__).parents[3]


def test_the_file_of_an_export_is_named_by_its_settings() -> None:
    export = ExportConfig(format="tflite", quantize="float16", prune=0.8)
    assert file_name(export) == "tflite-float16-prune80.tflite"
    assert file_name(ExportConfig(format="onnx")) == "onnx.onnx"


@pytest.mark.slow
def test_the_manifest_says_what_each_file_takes_and_returns(exported: Exported) -> None:
    manifest = json.loads((exported.pushed / "manifest.json").read_text())
    assert (manifest["format"], manifest["task"], manifest["classes"]) == (
        1,
        "binary",
        ["no", "yes"],
    )
    raw = manifest["transform"]["inputs"]
    assert [(i["name"], i["dtype"], i["shape"]) for i in raw] == [
        ("color", "string", [None, 1]),
        ("größe (cm)", "float32", [None, 1]),
    ]
    [onnx] = manifest["exports"]
    content = (exported.pushed / onnx["file"]).read_bytes()
    assert onnx["sha256"] == hashlib.sha256(content).hexdigest()
    assert onnx["bytes"] == len(content)
    assert [(i["name"][:3], i["dtype"], i["shape"]) for i in onnx["inputs"]] == [
        ("col", "int64", [None, 1]),
        ("gr_", "float32", [None, 2]),
    ]
    assert onnx["outputs"] == [{"name": "probability", "dtype": "float32", "shape": [None]}]
    assert onnx["metrics"] == exported.results["onnx"].metrics
    assert onnx["settings"]["may_worsen_by"] == 0.002


@pytest.mark.slow
def test_the_program_of_the_guide_predicts_what_the_model_predicts(
    exported: Exported, tmp_path: Path
) -> None:
    text = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    [program] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "run_export.py").write_text(program, encoding="utf-8")
    rows = [dict(zip(exported.test, row)) for row in zip(*exported.test.values())][:50]
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "run_export.py", str(exported.pushed), "onnx", "rows.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["probability"]
    assert found == pytest.approx(exported.candidate[:50].tolist(), abs=1e-5)
