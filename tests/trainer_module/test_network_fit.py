"""The fit of a network, as a model or as a part of a blend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_models import Trained

from trainer_module.fit_setup import set_up_fit
from trainer_module.network_fit import fit_network
from trainer_module.sections import Sections

pytestmark = pytest.mark.slow


def test_a_fit_with_its_backup_gives_the_same_network_without_training_again(
    binary: Trained, tmp_path: Path
) -> None:
    sections = Sections(binary.fn_args.custom_config, {"training.epochs": 2})
    first, again = (
        fit_network(
            set_up_fit(binary.fn_args, sections),
            sections.training,
            str(tmp_path / "backup"),
            str(tmp_path / run),
        )
        for run in ("first", "again")
    )
    assert first is not None
    assert again is not None
    assert again.state.epochs == first.state.epochs
    for one, other in zip(first.network.get_weights(), again.network.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert first.facts["train_examples"] == 240
    assert list((tmp_path / "first").rglob("events.out.*"))
    assert not list((tmp_path / "again").rglob("events.out.*"))
