"""`python -m benchmarks.driver_memory`: whether a component's own process grows with the rows.

On an engine such as Flink, the component's process plans the work, and the engine's workers read
and write the rows. So that process may not need more memory for more rows. Here, Kubeflow's tasks
run as processes of this machine, each with two worker processes of Beam's local runner. That runner
works in the component's process and holds what the workers exchange, so the numbers are upper
bounds of what an engine leaves there.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import psutil

from benchmarks.console import make_console
from benchmarks.measuring.process import ROOT, run_command
from benchmarks.measuring.workload import PYTHON, generate_table
from benchmarks.report import print_results
from benchmarks.results import Check, Results
from pipeline.core.errors import NotBlessedError

SIZES = (200_000, 2_000_000)
_CONFIGS = ("configs/taxi.yaml", "configs/overlays/kubeflow.yaml")
_BEAM = "beam.args=[--direct_running_mode=multi_processing, --direct_num_workers=2]"
_EXECUTORS = {
    "StatisticsGen": "components.statistics_gen.executor",
    "Transform": "components.transform.executor",
    "Evaluator": "components.evaluator.executor",
}
_WORKER = "sdk_worker_main"
"""Is in the command line of each worker process."""
_CODES = (0, NotBlessedError.exit_code)
"""One epoch need not make a model that reaches its threshold."""
_SAMPLE_SECONDS = 0.2
_MOST_GB = 1.5
_MOST_GROWTH = 1.25
"""Memory of ten times the rows, over that of the rows. Python and TensorFlow alone vary by 5 %."""


@dataclass
class DriverPeaks:
    """The most resident bytes of each component's own process, by component."""

    bytes: dict[str, int] = field(default_factory=dict)
    _due: float = 0.0

    def sample(self) -> bool:
        """Looks at the processes that this process has started; returns False."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _SAMPLE_SECONDS
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    self._add(" ".join(process.cmdline()), process.memory_info().rss)
        return False

    def _add(self, command: str, resident: int) -> None:
        for name, module in _EXECUTORS.items():
            if module in command and _WORKER not in command:
                self.bytes[name] = max(self.bytes.get(name, 0), resident)


def measure_driver_memory(directory: Path, rows: int, seed: int) -> dict[str, int]:
    """Runs the tasks on a generated table; returns the peak bytes of each component's process."""
    table = generate_table(directory, rows, seed)
    target, peaks = directory / f"drivers-{rows}", DriverPeaks()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    spec = target / "pipeline.yaml"
    settings = [
        f"kubeflow.storage.path={target / 'volume'}",
        f"data.path={table}",
        "training.epochs=1",
        _BEAM,
    ]
    command = [PYTHON, "-m", "pipeline", "compile", "--output", str(spec)]
    command += [word for config in _CONFIGS for word in ("--config", config)]
    command += [word for setting in settings for word in ("--set", setting)]
    run_command(command, directory / "compile.log")
    run = [PYTHON, "-m", "pipeline.runners.kfp_local", str(spec), "--directory", str(target)]
    run_command(run, directory / f"drivers-{rows}.log", awaited=peaks.sample, expected=_CODES)
    # The files of the run take gigabytes.
    shutil.rmtree(target)
    return peaks.bytes


def check_driver_memory(peaks: Mapping[int, Mapping[str, int]]) -> Iterator[Check]:
    """Yields the checks of each component: its memory, and how it grows from size to size."""
    small, large = min(peaks), max(peaks)
    for name in _EXECUTORS:
        before, after = peaks[small][name], peaks[large][name]
        yield Check.at_most(f"{name}: peak GB at {large:,} rows", after / 1e9, _MOST_GB)
        yield Check.at_most(
            f"{name}: peak at {large:,} rows over that at {small:,}", after / before, _MOST_GROWTH
        )


@click.command(context_settings={"show_default": True})
@click.option("--rows", type=int, multiple=True, default=SIZES, help="Rows; give it twice.")
@click.option("--seed", default=0, help="Seed of the generated trips.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench",
    help="Directory for the tables and the runs.",
)
def main(rows: Sequence[int], seed: int, directory: Path) -> None:
    """Measures the memory of the processes that drive Beam, without Beam's workers."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    console = make_console()
    peaks = {}
    for size in rows:
        peaks[size] = measure_driver_memory(directory, size, seed)
        found = ", ".join(f"{name} {peak / 1e9:.2f} GB" for name, peak in peaks[size].items())
        console.print(f"{size:,} rows: {found}")
    results = Results(checks=list(check_driver_memory(peaks)))
    print_results(results, console)
    sys.exit(1 if results.broken else 0)


if __name__ == "__main__":
    main()
