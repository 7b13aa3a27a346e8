"""Trials that cost nothing: functions that stand where the training's function stands."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Arguments = Mapping[str, Any]


def valley(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """Deepest where the learning rate is 0.01; notes who ran, and from which epoch to which."""
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    done = place / "epochs"
    _note(inputs, f"{place.name} {done.read_text() if done.exists() else 0}-{epochs} {os.getpid()}")
    done.write_text(str(epochs))
    loss = abs(math.log10(values["training.learning_rate"]) + 2) + 1 / epochs
    return {"eval_loss": loss, "eval_auc": 1 - loss / 10, "epochs": epochs, "steps": 10 * epochs}


def killed_once(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """The first run of each trial ends as one that the machine ran out of memory for."""
    place = Path(directory)
    if not place.exists():
        place.mkdir(parents=True)
        _note(inputs, f"{place.name} killed {os.getpid()}")
        os.kill(os.getpid(), signal.SIGKILL)
    return valley(inputs, values, epochs, directory)


def always_killed(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """No run of a trial with a high rate survives."""
    if values["training.learning_rate"] > 0.01:
        _note(inputs, f"{os.path.basename(directory)} killed {os.getpid()}")
        os.kill(os.getpid(), signal.SIGKILL)
    return valley(inputs, values, epochs, directory)


def diverges(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """As training does with a rate that is too high."""
    if values["training.learning_rate"] > 0.01:
        raise ArithmeticError("training diverged")
    return valley(inputs, values, epochs, directory)


def broken(inputs: Arguments, values: Arguments, epochs: int, directory: str) -> dict[str, float]:
    """As a mistake in the model's code does."""
    _note(inputs, f"{os.path.basename(directory)} broken {os.getpid()}")
    raise TypeError("no such layer")


def without_labels(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """As the trainer does where the data are of no use."""
    from pipeline.core.errors import DataError

    _note(inputs, f"{os.path.basename(directory)} refused {os.getpid()}")
    raise DataError("the label is constant", "look at the table")


def without_room(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """The disk is full from the second trial on, until someone makes room."""
    room = Path(inputs["journal"]).with_name("room")
    if os.path.basename(directory) != "trial-1" and not room.exists():
        with open("/dev/full", "w", encoding="utf-8") as file:
            file.write("a backup")
    return valley(inputs, values, epochs, directory)


def without_a_report(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """The disk has not even room for the cause."""
    os.environ["PIPELINE_REPORT"] = "/dev/full"
    return without_room(inputs, values, epochs, directory)


def hangs_once(
    inputs: Arguments, values: Arguments, epochs: int, directory: str
) -> dict[str, float]:
    """The first run of each trial never ends."""
    place = Path(directory)
    if not place.exists():
        place.mkdir(parents=True)
        _note(inputs, f"{place.name} hung {os.getpid()}")
        Path(os.environ["PIPELINE_STEPS"]).write_text("[1, 1]")
        time.sleep(600)
    return valley(inputs, values, epochs, directory)


def note_values(fn_args: Any) -> None:
    """Stands where `run_fn` stands, and keeps what it was given to train with."""
    place = Path(fn_args.model_run_dir)
    place.mkdir(parents=True)
    (place / "values").write_text(json.dumps(fn_args.hyperparameters))


def _note(inputs: Arguments, line: str) -> None:
    with open(inputs["journal"], "a", encoding="utf-8") as file:
        file.write(line + "\n")
