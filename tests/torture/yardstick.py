"""An undisturbed run for each state from which rounds start: what a round is measured by."""

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from accidents import Chain
from invariants import check_calm_run, measure
from plan import COMPONENTS, SERVING_CHECK, Plan
from shim import Control
from workspace import make_chain, make_code_digest, read_output, start_run, write_table

from pipeline.core.events import ComponentChanged, EventReader


@dataclass(frozen=True)
class Yardstick:
    """What an undisturbed run does."""

    phases: Mapping[str, tuple[int, int]]
    """The changes of files in each phase of a run: the number of the first, and of the one after
    the last."""
    expected: Mapping[str, Any]
    """See `invariants.measure`."""

    def find_change(self, plan: Plan) -> int:
        """Returns the number of the change before which the run of the plan stops."""
        first, end = self.phases[plan.phase]
        return first + int(plan.moment * max(end - first, 1))


class Bench:
    """A directory for rounds, with a yardstick for each variant and start.

    All rounds use the same path, because metadata hold absolute paths.
    """

    def __init__(self, directory: Path, library: Path) -> None:
        self.directory = directory.resolve()
        self._library = library
        self.place = self.directory / "round"
        self._kept = self.directory / "yardsticks" / make_code_digest()

    def prepare(self, variant: str, start: str) -> Chain:
        """Returns a user's directory in the state from which a run of this start begins."""
        chain = make_chain(self.place)
        if start == "served":
            self.measure(variant, "empty")
            make_chain(self.place)
            shutil.copytree(self._path(variant, "empty") / "out", chain.output, symlinks=True)
        write_table(chain, start)
        return chain

    def measure(self, variant: str, start: str) -> Yardstick:
        """Returns the yardstick, after an undisturbed run if there is none yet."""
        path = self._path(variant, start)
        if not (path / "yardstick.json").exists():
            chain = self.prepare(variant, start)
            made = _run_undisturbed(chain, variant, start, self.open_control(chain))
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
            shutil.copytree(chain.output, path / "out", symlinks=True)
            (path / "yardstick.json").write_text(json.dumps(asdict(made)))
        kept = json.loads((path / "yardstick.json").read_text())
        return Yardstick({k: tuple(v) for k, v in kept["phases"].items()}, kept["expected"])

    def open_control(self, chain: Chain) -> Control:
        """Returns a new control page for a run."""
        return Control(self.directory / "control", chain.output, self._library)

    def _path(self, variant: str, start: str) -> Path:
        return self._kept / f"{variant}-{start}".replace(" ", "-")


def _run_undisturbed(chain: Chain, variant: str, start: str, control: Control) -> Yardstick:
    process = start_run(chain, variant, control.environment)
    try:
        begins = _note_begins(chain, control, process)
    finally:
        process.kill()
    if process.returncode != 0:
        raise RuntimeError(f"an undisturbed run failed:\n{read_output(chain)}")
    expected = measure(chain)
    if faults := check_calm_run(chain, start, expected):
        raise RuntimeError(f"after an undisturbed run: {'; '.join(faults)}")
    return Yardstick(_make_phases(begins, control.changes + 1), expected)


def _note_begins(
    chain: Chain, control: Control, process: "subprocess.Popen[str]"
) -> dict[str, int]:
    """Watches a run to its end; returns the first change of each component, and after its end."""
    earlier = set(chain.output.glob("logs/*"))
    begins, reader = {"before": 1}, None
    while process.poll() is None:
        time.sleep(0.005)
        found = set(chain.output.glob("logs/*/events.jsonl"))
        new = (EventReader(path) for path in found if path.parent not in earlier)
        reader = reader or next(new, None)
        change = control.changes + 1
        for envelope in reader.read() if reader else ():
            event = envelope.event
            if isinstance(event, ComponentChanged):
                suffix = "" if event.state == "running" else " ended"
                begins.setdefault(event.name + suffix, change)
    return begins


def _make_phases(begins: Mapping[str, int], end: int) -> dict[str, tuple[int, int]]:
    *before_push, push = COMPONENTS
    check = [SERVING_CHECK] if SERVING_CHECK in begins else []
    starts = {name: begins[name] for name in ("before", *before_push, *check, push)}
    starts["after"] = begins[f"{COMPONENTS[-1]} ended"]
    return dict(zip(starts, zip(starts.values(), [*[*starts.values()][1:], end])))
