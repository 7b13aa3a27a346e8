"""One round: a run with an accident, what must hold after it, and the next run."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from accidents import Chain, fill_disk, small_disk
from invariants import check_accident, check_calm_run
from plan import Plan
from run_processes import find_processes, find_target, kill_all, wait_until_gone
from shim import Control
from workspace import read_output, run_arguments, run_command, start_run
from yardstick import Bench

_RUN_SECONDS = 900
"""A run that takes longer hangs: on an idle machine, a run without accident takes about 30 s."""
_LEAVE_SECONDS = 60
"""The longest that processes may outlive the command: two graces of 20 s each, and a margin."""
_DISK_MEGABYTES = 48
_FULL = "no space left on the device"


@dataclass
class Round:
    """What was injected, and what happened."""

    plan: Plan
    place: str = ""
    """The change before which the run was stopped; empty if the run ended before the accident."""
    struck: str = ""
    """The role of the process that got the signal."""
    code: int | None = None
    """The exit code of the run with the accident; negative for a signal."""
    next_code: int | None = None
    """The exit code of the run after it."""
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    skipped: str = ""
    """Why the round could not be run on this machine."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"injection": self.plan.injection}


def run_round(plan: Plan, bench: Bench) -> Round:
    """Runs a round in the bench's directory, which keeps what the round left."""
    clock = time.monotonic()
    result = Round(plan)
    yardstick = bench.measure(plan.variant, plan.start)
    chain = bench.prepare(plan.variant, plan.start)
    if plan.kind == "full disk" and os.geteuid() != 0:
        result.skipped = "only root may mount a small disk"
        return result
    with _disk(plan, chain):
        _cause_accident(plan, chain, bench.open_control(chain), yardstick.find_change(plan), result)
        (chain.output / "ballast").unlink(missing_ok=True)
        result.faults += check_accident(chain)
        ended = run_command(chain, *run_arguments(chain, plan.variant), seconds=_RUN_SECONDS)
        result.next_code = ended.code
        if ended.code != 0:
            how = "hangs" if ended.hung else f"ends with {ended.code}"
            result.faults.append(f"the next run {how}: {_last_line(ended.output)}")
        else:
            result.faults += check_calm_run(chain, plan.start, yardstick.expected)
    result.seconds = round(time.monotonic() - clock, 1)
    return result


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


def _cause_accident(plan: Plan, chain: Chain, control: Control, change: int, result: Round) -> None:
    control.slow_down(plan.delay_us)
    if plan.kind != "slow disk":
        control.freeze_before(change)
    process = start_run(chain, plan.variant, control.environment)
    try:
        _wait_for_the_moment(process, control)
        if control.frozen:
            result.place = control.place
            _strike(plan, chain, control, process, result)
        result.code = _wait_for_the_end(process, result)
    finally:
        control.release()
        _end_what_is_left(chain, control, process, plan, result)
    result.faults += _judge_ending(plan, result, read_output(chain))


def _wait_for_the_moment(process: "subprocess.Popen[str]", control: Control) -> None:
    deadline = time.monotonic() + _RUN_SECONDS
    while process.poll() is None and not control.frozen and time.monotonic() < deadline:
        time.sleep(0.002)


def _strike(
    plan: Plan,
    chain: Chain,
    control: Control,
    process: "subprocess.Popen[str]",
    result: Round,
) -> None:
    """Causes the accident while the run is stopped before a change, and continues the run."""
    page = control.environment["TORTURE_CONTROL"]
    if plan.kind == "power cut":
        result.struck = f"{kill_all(page)} processes"
    elif plan.kind == "full disk":
        _fill(chain, plan.amount)
    elif plan.kind == "clock":
        control.set_clock(plan.amount)
    else:
        _signal(plan, control, process, result)
    control.release()


def _signal(plan: Plan, control: Control, process: "subprocess.Popen[str]", result: Round) -> None:
    page = control.environment["TORTURE_CONTROL"]
    victim = find_target(page, plan.target, process.pid, control.frozen)
    if victim is None:
        # Workers start some time after the component.
        control.release()
        while victim is None and process.poll() is None:
            time.sleep(0.005)
            victim = find_target(page, plan.target, process.pid, control.frozen)
    if victim is None:
        return
    result.struck = find_processes(page).get(victim, "")
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim, signal.Signals[plan.signal])
        if plan.signal == "SIGSTOP":
            if victim != control.frozen:
                control.release()
            time.sleep(plan.amount)
            os.kill(victim, signal.SIGCONT)


def _fill(chain: Chain, free_bytes: int) -> None:
    fill_disk(chain.output)
    ballast = chain.output / "ballast"
    os.truncate(ballast, max(0, ballast.stat().st_size - free_bytes))


def _wait_for_the_end(process: "subprocess.Popen[str]", result: Round) -> int | None:
    try:
        return process.wait(_RUN_SECONDS)
    except subprocess.TimeoutExpired:
        result.faults.append(f"the run did not end within {_RUN_SECONDS} s")
        return None


def _end_what_is_left(
    chain: Chain,
    control: Control,
    process: "subprocess.Popen[str]",
    plan: Plan,
    result: Round,
) -> None:
    page = control.environment["TORTURE_CONTROL"]
    if process.poll() is None:
        process.kill()
        process.wait()
    if left := wait_until_gone(page, _LEAVE_SECONDS):
        result.faults.append(f"still running: {', '.join(sorted(left.values()))}")
        kill_all(page)
    if plan.kind != "power cut" and any(chain.temporary.iterdir()):
        names = sorted(path.name for path in chain.temporary.iterdir())
        result.faults.append(f"temporary files are left: {', '.join(names)}")
    # A power cut empties /tmp, too.
    shutil.rmtree(chain.temporary)
    chain.temporary.mkdir()


def _judge_ending(plan: Plan, result: Round, output: str) -> list[str]:
    """Returns what is wrong with how the run itself ended."""
    faults = []
    if result.code not in _expected_codes(plan, result):
        faults.append(f"the run ended with {result.code}: {_last_line(output)}")
    if "Traceback (most recent call last)" in output:
        faults.append(f"a traceback: {_last_line(output)}")
    if plan.kind == "full disk" and result.code == 1 and _FULL not in output:
        faults.append(f"the full disk is not named: {_last_line(output)}")
    return faults


def _expected_codes(plan: Plan, result: Round) -> set[int]:
    """Returns the exit codes that are right. Late accidents find a run that has ended well."""
    if not result.place or plan.kind in ("clock", "slow disk") or plan.signal == "SIGSTOP":
        return {0}
    if plan.kind == "power cut" or (plan.target, plan.signal) == ("parent", "SIGKILL"):
        return {-signal.SIGKILL, 0}
    if plan.kind == "full disk":
        return {0, 1}
    if plan.target == "parent":
        return {130, 0}
    if result.struck in ("chief", "worker"):
        return {0}  # The supervisor starts the workers again.
    return {0, 1, 130}


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("Error")]
    return (told or lines or [""])[-1][:300]
