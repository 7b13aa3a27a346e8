"""What a round found, and whether the run with the accident ended as it should."""

import signal
from dataclasses import asdict, dataclass, field
from typing import Any

from plan import Plan

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


def judge_ending(result: Round, output: str) -> list[str]:
    """Returns what is wrong with how the run with the accident ended."""
    faults = []
    if result.code not in list_right_codes(result):
        faults.append(f"the run ended with {result.code}: {last_line(output)}")
    if "Traceback (most recent call last)" in output:
        faults.append(f"a traceback: {last_line(output)}")
    if result.plan.kind == "full disk" and result.code == 1 and _FULL not in output:
        faults.append(f"the full disk is not named: {last_line(output)}")
    return faults


def list_right_codes(result: Round) -> set[int]:
    """Returns the exit codes that are right. Late accidents find a run that has ended well."""
    plan = result.plan
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


def last_line(output: str) -> str:
    """Returns the error of a command, or its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("Error")]
    return (told or lines or [""])[-1][:300]
