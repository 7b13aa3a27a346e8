"""Functions that replace the training of a trial, and fail in different ways."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Arguments = Mapping[str, Any]


def valley(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """Has its lowest loss at learning rate 0.01; writes the trained epochs to the journal."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    done = place / "epochs"
    _write_line(
        inputs, f"{place.name} {done.read_text() if done.exists() else 0}-{epochs} {os.getpid()}"
    )
    done.write_text(str(epochs))
    loss = abs(math.log10(values["training.learning_rate"]) + 2) + 1 / epochs
    return {"eval_loss": loss, "eval_auc": 1 - loss / 10, "epochs": epochs, "steps": 10 * epochs}


def killed_once(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Kills the process in the first run of each trial, as the kernel does without memory."""
    place = Path(directory)
    if not place.exists():
        place.mkdir(parents=True)
        _write_line(inputs, f"{place.name} killed {os.getpid()}")
        os.kill(os.getpid(), signal.SIGKILL)
    return valley(inputs, values, epochs, directory)


def always_killed(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Kills the process of every trial with a high learning rate."""
    if values["training.learning_rate"] > 0.01:
        _write_line(inputs, f"{os.path.basename(directory)} killed {os.getpid()}")
        os.kill(os.getpid(), signal.SIGKILL)
    return valley(inputs, values, epochs, directory)


def diverges(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """Raises what training raises when it diverges, for a high learning rate."""
    if values["training.learning_rate"] > 0.01:
        raise ArithmeticError("training diverged")
    return valley(inputs, values, epochs, directory)


def broken(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """Raises what a mistake in the model's code raises."""
    _write_line(inputs, f"{os.path.basename(directory)} broken {os.getpid()}")
    raise TypeError("no such layer")


def without_labels(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Raises what the trainer raises for useless data."""
    from pipeline.core.errors import DataError

    _write_line(inputs, f"{os.path.basename(directory)} refused {os.getpid()}")
    raise DataError("the label is constant", "look at the table")


def without_room(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Fails on a full disk from the second trial on, until a file `room` exists."""
    room = Path(inputs["journal"]).with_name("room")
    if os.path.basename(directory) != "trial-1" and not room.exists():
        with open("/dev/full", "w", encoding="utf-8") as file:
            file.write("a backup")
    return valley(inputs, values, epochs, directory)


def without_a_report(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Fails on a disk that is too full even for the failure report."""
    os.environ["PIPELINE_REPORT"] = "/dev/full"
    return without_room(inputs, values, epochs, directory)


def hangs_once(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Hangs in the first run of each trial."""
    place = Path(directory)
    if not place.exists():
        place.mkdir(parents=True)
        _write_line(inputs, f"{place.name} hung {os.getpid()}")
        Path(os.environ["PIPELINE_STEPS"]).write_text("[1, 1]")
        time.sleep(600)
    return valley(inputs, values, epochs, directory)


def write_custom_journal(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """Does what `valley` does, with the journal that `custom_config` names."""
    return valley(inputs["custom_config"], values, epochs, directory)


def waits(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """Does what `write_custom_journal` does, when a file `go` is beside the journal."""
    journal = Path(inputs["custom_config"]["journal"])
    _write_line(inputs["custom_config"], f"waits {os.getpid()}")
    while not journal.with_name("go").exists():
        time.sleep(0.05)
    return write_custom_journal(inputs, values, epochs, directory)


def _write_line(inputs: Arguments, line: str) -> None:
    with open(inputs["journal"], "a", encoding="utf-8") as file:
        file.write(line + "\n")
