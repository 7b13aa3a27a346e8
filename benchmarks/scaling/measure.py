"""Measures the speed of training with one and two workers, and the cost of supervision.

Each worker has a core of its own, as it would have a machine of its own. Two models are trained:
the taxi model, and the network that `init` proposes for the same columns. The taxi model is also
trained over a slow link between two networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring.process import run_command
from benchmarks.measuring.runs import rerun_ours
from benchmarks.measuring.workload import PYTHON, Workload, generate_table
from benchmarks.scaling.link import find_obstacle
from benchmarks.spec import run_part
from pipeline.config import Config, load_config
from pipeline.config.sections.families.names import BLEND, NETWORKS
from pipeline.core.contracts import Node

WORKERS = 2
LARGE = 200_000
"""The fewest rows that fill large batches for long enough to measure them."""
TAXI, PROPOSED, LINKED = "taxi model", "network of init", "taxi model over the link"

Figures = dict[str, Any]


def measure_scaling(directory: Path, rows: int, seed: int) -> Figures:
    """Returns the figures of each training, of the input pipeline, and of the supervisor."""
    workload = Workload(directory, generate_table(directory, rows, seed))
    # The comparison's run on the same table, if it has been measured, is found in the cache.
    run = rerun_ours(workload, directory / "ours-0")
    sizes = (256, 1024, 4096) if rows >= LARGE else (1024,)
    taxi = _make_spec(workload.config, run.directory, directory, sizes)
    obstacle = find_obstacle()
    # A training of this length, at least, tells what the supervisor costs.
    seconds = 60 if rows >= LARGE else 10
    figures = run_part(
        "scaling.fits", {**taxi, "seconds": seconds, "link": not obstacle}, directory / "fits.json"
    )
    proposed, prepared = _prepare_proposal(directory, min(rows, LARGE), seed)
    spec = _make_spec(proposed, prepared, directory, sizes)
    network = run_part("scaling.fits", spec, directory / "proposed-fits.json")
    trainings = {TAXI: figures["without link"], PROPOSED: network["without link"]}
    if not obstacle:
        trainings[LINKED] = figures["with link"]
    return {
        "trainings": trainings,
        "link": obstacle or "measured",
        "input": run_part("scaling.feed", taxi, directory / "feed.json"),
        "supervisor": figures["supervisor"],
    }


def _make_spec(config: Config, run: Path, directory: Path, sizes: Sequence[int]) -> Figures:
    return {
        "config": config.model_dump_json(by_alias=True),
        "run": str(run),
        "directory": str(directory / "scaling-fits"),
        "workers": WORKERS,
        "batch_sizes": sizes,
    }


def _prepare_proposal(directory: Path, rows: int, seed: int) -> tuple[Config, Path]:
    """Returns the configuration that `init` proposes, with its network alone, and a run for it.

    The table has at most `LARGE` rows: for larger ones, the slow network would train for hours.
    """
    table, path = generate_table(directory, rows, seed), directory / "proposed.yaml"
    words = ["--data", str(table), "--label", "big_tipper", "--output", str(path), "--force"]
    run_command([PYTHON, "-m", "pipeline", "init", *words], directory / "init.log")
    assignments = [f"model.family={choose_network(load_config([path]))}"]
    run = directory / "proposed"
    spec = {
        "config": str(path),
        "assignments": assignments,
        "output": str(run),
        "until": Node.TRANSFORM,
    }
    run_part("measuring.beginning", spec, directory / "prepare.json")
    return load_config([path], assignments), run


def choose_network(config: Config) -> str:
    """Returns the family of the proposed network: of a blend, the blend's network."""
    family = config.model.family
    if family == BLEND:
        return str(config.model.blend.network)
    return family if family in NETWORKS else str(type(config.model)().family)
