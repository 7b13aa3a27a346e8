"""The user's directory of one round: table, configuration, output directory, and the command."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from accidents import Chain
from support import ROOT, Project, shop_table, write_csv

ROWS = {"empty": 400, "served": 440}
"""Rows of the table: a user who has a served model trains again when the table has grown."""
EPOCHS = 4
_CONFIG = f"""\
name: shop
data:
  path: shop.csv
  split: {{train: 0.6, eval: 0.2, test: 0.2}}
features:
  price: numeric
  color: categorical
  number: numeric
label: {{column: bought, task: binary, classes: [0, 1]}}
training: {{epochs: {EPOCHS}, early_stopping_patience: 0, global_batch_size: 16}}
serving: {{check: {{enabled: false}}}}
evaluation:
  thresholds:
    - {{metric: auc, at_least: 0.6}}
"""
_BEAM = ["runner=DirectRunner", "direct_running_mode=multi_processing", "direct_num_workers=2"]
_ARGUMENTS = {
    "one process": [],
    "two workers": ["training.workers=2"],
    "serving check": ["serving.check.enabled=true"],
    "Beam workers": [f"beam.args={json.dumps([f'--{flag}' for flag in _BEAM])}"],
}
_CODE = ("components", "pipeline", "serving", "trainer_module")


@dataclass
class Ended:
    """How a command ended."""

    code: int
    output: str
    hung: bool = False


def row_numbers(start: str) -> list[int]:
    """Returns the column `number` of the table: each row has another one, exact in float32."""
    random = np.random.default_rng(7)
    return [int(n) for n in random.permutation(max(ROWS.values()))[: ROWS[start]]]


def make_chain(directory: Path) -> Chain:
    """Makes a user's directory with a configuration, and without any run."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    chain = Chain(Project(directory))
    chain.temporary.mkdir()
    chain.project.write("my.yaml", _CONFIG)
    return chain


def run_arguments(chain: Chain, variant: str) -> list[str]:
    """Returns the arguments of the command that runs a variant."""
    settings = [word for setting in _ARGUMENTS[variant] for word in ("--set", setting)]
    return ["run", "--config", "my.yaml", "--output", str(chain.output), *settings]


def write_table(chain: Chain, start: str) -> None:
    """Writes the table that a run of this start reads."""
    columns = shop_table(max(ROWS.values()))
    table = {name: cells[: ROWS[start]] for name, cells in columns.items()}
    write_csv(chain.project.directory / "shop.csv", table | {"number": row_numbers(start)})


def start_run(chain: Chain, variant: str, environment: dict[str, str]) -> "subprocess.Popen[str]":
    """Starts the real command; its output goes to the file `output` of the user's directory."""
    with (chain.project.directory / "output").open("w") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline", *run_arguments(chain, variant)],
            cwd=chain.project.directory,
            env={**os.environ, **_variables(chain), **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A job in the background is started with Ctrl-C ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )


def read_output(chain: Chain) -> str:
    return (chain.project.directory / "output").read_text(errors="replace")


def run_command(chain: Chain, *arguments: str, seconds: float = 60) -> Ended:
    """Runs `python -m pipeline ...` without any accident."""
    try:
        process = subprocess.run(
            [sys.executable, "-m", "pipeline", *arguments],
            cwd=chain.project.directory,
            env={**os.environ, **_variables(chain)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        return Ended(-1, (error.stdout or b"").decode(errors="replace"), hung=True)
    return Ended(process.returncode, process.stdout + process.stderr)


def make_code_digest() -> str:
    """Returns a digest of the code: the measures of another state of the code do not count."""
    texts = [_CONFIG, str(ROWS), str(_ARGUMENTS)]
    for room in _CODE:
        texts += [path.read_text() for path in sorted((ROOT / room).rglob("*.py"))]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _variables(chain: Chain) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "COLUMNS": "200", "TMPDIR": str(chain.temporary)}
