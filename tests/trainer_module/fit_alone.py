"""Fits as `run_fn` does, without an export. Imports no TFX, since some tests do it in processes."""

from __future__ import annotations

from typing import Any

from trainer_module.fit.history import write_history
from trainer_module.fit_setup import set_up_fit
from trainer_module.network_fit import fit_network
from trainer_module.sections import Sections


def fit_alone(fn_args: Any) -> None:
    """Trains on the arguments of `run_fn`, and writes the history to `fn_args.model_run_dir`."""
    sections = Sections(fn_args.custom_config)
    setup = set_up_fit(fn_args, sections)
    fitted = fit_network(setup, sections.training, sections.backup_directory, fn_args.model_run_dir)
    assert fitted is not None, "one process is the chief of its training"
    write_history(fn_args.model_run_dir, fitted.state, fitted.facts)
