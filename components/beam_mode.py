"""Who decides how Beam runs on this machine: the configuration, or we."""

from __future__ import annotations

from collections.abc import Sequence

_RUNNERS_OF_THIS_MACHINE = ("DirectRunner", "FnApiRunner")


def is_of_this_machine(args: Sequence[str]) -> bool:
    """Whether the flags name no runner but those that work within this machine."""
    runners = (arg.rpartition("=")[2] for arg in args if arg.startswith("--runner="))
    return all(name.rpartition(".")[2] in _RUNNERS_OF_THIS_MACHINE for name in runners)


def is_left_open(args: Sequence[str]) -> bool:
    """Whether the flags say nothing of how a runner of this machine is to run."""
    says = any(arg.startswith("--direct_running_mode=") for arg in args)
    return is_of_this_machine(args) and not says
