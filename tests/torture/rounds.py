"""One round: a run with an accident, what must hold after it, and the next run."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator

from accidents import Chain, small_disk
from invariants import check_accident, check_calm_run
from outcome import Round, judge_ending, last_line
from plan import Plan
from struck_run import RUN_SECONDS, StruckRun
from workspace import read_output, run_arguments, run_command
from yardstick import Bench, Yardstick

_DISK_MEGABYTES = 48


def run_round(plan: Plan, bench: Bench) -> Round:
    """Runs a round in the bench's directory, which keeps what the round left."""
    result, started = Round(plan), time.monotonic()
    if plan.kind == "full disk" and os.geteuid() != 0:
        result.skipped = "only root may mount a small disk"
        return result
    yardstick = bench.measure(plan.variant, plan.start)
    chain = bench.prepare(plan.variant, plan.start)
    with _disk(plan, chain):
        change = yardstick.find_change(plan)
        StruckRun(chain, bench.open_control(chain), change, result).cause_accident()
        (chain.output / "ballast").unlink(missing_ok=True)
        result.faults += judge_ending(result, read_output(chain))
        result.faults += check_accident(chain)
        _run_again(chain, yardstick, result)
    result.seconds = round(time.monotonic() - started, 1)
    return result


def _run_again(chain: Chain, yardstick: Yardstick, result: Round) -> None:
    """Runs the same command without an accident."""
    plan = result.plan
    ended = run_command(chain, *run_arguments(chain, plan.variant), seconds=RUN_SECONDS)
    result.next_code = ended.code
    if ended.code != 0:
        how = "hangs" if ended.hung else f"ends with {ended.code}"
        result.faults.append(f"the next run {how}: {last_line(ended.output)}")
    else:
        result.faults += check_calm_run(chain, plan.start, yardstick.expected)


@contextlib.contextmanager
def _disk(plan: Plan, chain: Chain) -> Iterator[None]:
    """A small disk of its own for the output directory, if it shall become full."""
    if plan.kind != "full disk":
        yield
        return
    before = chain.output.with_name("before")
    if chain.output.exists():
        chain.output.rename(before)
    with small_disk(chain.output, _DISK_MEGABYTES):
        if before.exists():
            shutil.copytree(before, chain.output, symlinks=True, dirs_exist_ok=True)
        yield
        # What the round left shall outlive the disk.
        shutil.copytree(chain.output, chain.output.with_name("disk"), symlinks=True)
