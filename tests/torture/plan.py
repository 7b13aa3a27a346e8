"""What a seed injects into a run, and when."""

import random
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["signal", "power cut", "full disk", "slow disk", "clock"]
Target = Literal["parent", "DAG process", "writer", "chief", "worker", "Beam worker", ""]

COMPONENTS = (
    "ExampleGen Reference StatisticsGen SchemaGen SchemaCurator ExampleValidator AnomalyReport "
    "DataFigures AnomalyGate Transform Trainer Baseline Evaluator ModelFigures Pusher"
).split()
PHASES = {"before": 1, **dict.fromkeys(COMPONENTS, 1), "Trainer": 3, "Pusher": 5, "after": 2}
"""The parts of a run by how often they are hit. Most state is at stake in a push."""
SERVING_CHECK = "ServingCheck"
"""A phase of the variant `serving check` alone: the component makes each run longer."""
_FIRST_WITH_SERVING_CHECK = 200
_SERVING_CHECKS = 0.1
"""The share of rounds in one process that have a ServingCheck, from that seed on. The seeds before
mean what they meant when their rounds were recorded."""

SIGNALS = {"SIGKILL": 4, "SIGTERM": 2, "SIGINT": 1, "SIGSTOP": 2}
_KINDS: dict[Kind, int] = {
    "signal": 12,
    "power cut": 4,
    "full disk": 3,
    "slow disk": 1,
    "clock": 3,
}
_TARGETS: dict[str, dict[Target, int]] = {
    "one process": {"parent": 2, "DAG process": 2},
    "two workers": {"chief": 3, "worker": 3, "writer": 2, "parent": 1, "DAG process": 1},
    "Beam workers": {"Beam worker": 4, "parent": 1, "DAG process": 1},
}
VARIANTS = {"one process": 6, "two workers": 3, "Beam workers": 1}
"""How a run is spread over processes, by how often. See also `SERVING_CHECK`."""
_HOUR, _DAY = 3600, 86400
_CLOCKS = (_HOUR, _DAY, 400 * _DAY, -60, -_HOUR, -_DAY, -400 * _DAY)
_FREE_BYTES = (0, 4 << 10, 64 << 10, 512 << 10)


@dataclass(frozen=True)
class Plan:
    """One round. The run stops before one change of a file; there the accident happens."""

    seed: int
    variant: str
    """How the run is spread over processes: a key of VARIANTS, or `serving check`."""
    start: Literal["empty", "served"]
    """Whether the output directory is empty, or has a served model since when the table grew."""
    kind: Kind
    phase: str
    """The part of the run in which the accident happens: a key of PHASES, or SERVING_CHECK."""
    moment: float
    """The share of the phase's changes that come before the accident, in [0, 1)."""
    target: Target = ""
    signal: str = ""
    amount: int = 0
    """Seconds that the clock jumps or a process is stopped, or bytes that stay free on the disk."""
    delay_us: int = 0
    """Microseconds by which each change of a file is delayed: a slow disk."""

    @property
    def injection(self) -> str:
        """Says in words what happens."""
        words = {
            "signal": f"{self.signal} to the {self.target}",
            "power cut": "SIGKILL to all processes",
            "full disk": f"disk full, {self.amount} bytes left",
            "slow disk": "slow disk",
            "clock": f"clock jumps by {self.amount:+} s",
        }[self.kind]
        if self.signal == "SIGSTOP":
            words += f" for {self.amount} s"
        if self.delay_us:
            words += f", {self.delay_us / 1000:g} ms a change"
        return words


def make_plan(seed: int) -> Plan:
    """Returns the plan of a seed: the same on each machine."""
    draw = random.Random(f"torture {seed}")
    kind = _pick(draw, _KINDS)
    variant = _pick(draw, VARIANTS)
    target = _pick(draw, _TARGETS[variant]) if kind == "signal" else ""
    phase = _pick(draw, PHASES)
    if target in ("chief", "worker", "writer"):
        phase = "Trainer"
    if target == "Beam worker":
        phase = draw.choice(["StatisticsGen", "Transform"])
    name = _pick_signal(draw, target) if kind == "signal" else ""
    slow = kind == "slow disk" or draw.random() < 0.15
    plan = Plan(
        seed,
        variant,
        "served" if draw.random() < 0.5 else "empty",
        kind,
        phase,
        round(draw.random(), 4),
        target,
        name,
        _pick_amount(draw, kind, name),
        draw.choice([1000, 3000, 10000]) if slow else 0,
    )
    return (
        replace(plan, variant="serving check", phase=SERVING_CHECK) if _is_checked(plan) else plan
    )


def _is_checked(plan: Plan) -> bool:
    """Whether the round has a ServingCheck. It draws apart, so that all else stays as it was."""
    draw = random.Random(f"torture serving check {plan.seed}")
    may_be = plan.seed >= _FIRST_WITH_SERVING_CHECK and plan.variant == "one process"
    return may_be and draw.random() < _SERVING_CHECKS


def _pick_signal(draw: random.Random, target: Target) -> str:
    """Ctrl-C reaches the parent alone: the other processes have sessions of their own."""
    weights = SIGNALS if target == "parent" else {k: SIGNALS[k] for k in SIGNALS if k != "SIGINT"}
    return _pick(draw, weights)


def _pick_amount(draw: random.Random, kind: Kind, name: str) -> int:
    if kind == "clock":
        return draw.choice(_CLOCKS)
    if kind == "full disk":
        return draw.choice(_FREE_BYTES)
    return draw.choice([1, 4, 8]) if name == "SIGSTOP" else 0


def _pick(draw: random.Random, weights: dict):
    return draw.choices([*weights], [*weights.values()])[0]
