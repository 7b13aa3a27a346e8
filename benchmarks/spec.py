"""Runs parts of the benchmark that need TensorFlow in processes: `python -m benchmarks.PART SPEC`.

SPEC is a JSON file with the part's arguments. The part adds its result to this file, as `answer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measuring.process import run_command
from benchmarks.measuring.workload import PYTHON
from pipeline.core.files import write_text_atomically

ENVIRONMENT = {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "1"}
"""The variables that `pipeline run` sets for its own process."""


def run_part(module: str, spec: Mapping[str, Any], path: Path) -> Any:
    """Runs the module `benchmarks.MODULE` with the spec, and returns its answer."""
    path.write_text(json.dumps(spec), encoding="utf-8")
    command = [PYTHON, "-m", f"benchmarks.{module}", str(path)]
    run_command(command, path.with_suffix(".log"), ENVIRONMENT)
    return json.loads(path.read_text(encoding="utf-8"))["answer"]


def write_answer(path: str, part: Callable[[dict[str, Any]], Any]) -> None:
    """Calls `part` with the spec in `path`, and writes its result to the same file."""
    spec = json.loads(Path(path).read_text(encoding="utf-8"))
    answered = json.dumps({**spec, "answer": part(spec)})
    write_text_atomically(path, answered, durable=False)
