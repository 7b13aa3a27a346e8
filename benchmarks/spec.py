"""Parts of the benchmark that need TensorFlow run in processes of their own, each called alike:
`python -m benchmarks.PART SPEC`, where SPEC is a file of JSON; the part adds `answer` to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.process import run_command
from benchmarks.workload import PYTHON
from pipeline.core.files import write_text_atomically

ENVIRONMENT = {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "1"}
"""As `run` sets it for its own process."""


def call_part(module: str, spec: Mapping[str, Any], path: Path) -> Any:
    """What the part answers."""
    path.write_text(json.dumps(spec), encoding="utf-8")
    command = [PYTHON, "-m", f"benchmarks.{module}", str(path)]
    run_command(command, path.with_suffix(".log"), ENVIRONMENT)
    return json.loads(path.read_text(encoding="utf-8"))["answer"]


def answer(path: str, part: Callable[[dict[str, Any]], Any]) -> None:
    """Does the part's side of `call_part`."""
    spec = json.loads(Path(path).read_text(encoding="utf-8"))
    answered = json.dumps({**spec, "answer": part(spec)})
    write_text_atomically(path, answered, durable=False)
