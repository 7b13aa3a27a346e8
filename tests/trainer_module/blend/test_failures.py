"""A part may fail for lack of memory, but no defect is taken for such a failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from pipeline.core.errors import (
    ConfigError,
    DataError,
    DivergenceError,
    EchoedDivergenceError,
    PipelineError,
)
from trainer_module.blend.failures import concerns_one_part
from trainer_module.trees.library import lightgbm
from trainer_module.trees.state import TreesBackup


def catch(call: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


def train_unknown_class() -> None:
    data = lightgbm.Dataset(np.zeros((20, 1)), np.full(20, 7.0))
    lightgbm.Booster({"objective": "multiclass", "num_class": 3, "verbosity": -1}, data)


def allocate_tensor() -> tf.Tensor:
    return tf.zeros([1 << 30, 1 << 20]) + 1


def allocate_array() -> np.ndarray:
    return np.ones((1 << 30, 1 << 20))


def test_failures_of_memory_and_of_lightgbm_concern_one_part() -> None:
    for call in (train_unknown_class, allocate_tensor, allocate_array):
        assert concerns_one_part(catch(call), workers=1), call


def test_divergence_concerns_one_part_in_the_eyes_of_every_worker() -> None:
    assert concerns_one_part(DivergenceError("training diverged"), workers=2)
    assert concerns_one_part(EchoedDivergenceError("training diverged"), workers=2)


def test_a_damaged_backup_concerns_all_parts(tmp_path: Path) -> None:
    (tmp_path / "trees.json").write_text("{")
    error = catch(TreesBackup(str(tmp_path)).restore)
    assert "cannot be restored" in str(error)
    assert not concerns_one_part(error, workers=1)


def test_a_machine_without_openmp_concerns_all_parts() -> None:
    assert not concerns_one_part(PipelineError("LightGBM cannot be loaded"), workers=1)


def test_lack_of_memory_in_one_of_several_workers_concerns_all() -> None:
    for call in (allocate_tensor, allocate_array):
        assert not concerns_one_part(catch(call), workers=2), call


@pytest.mark.parametrize(
    "call", [lambda: [][0], lambda: {}["x"], lambda: None.x, lambda: tf.reshape([1, 2], [3])]
)
def test_defects_concern_all_parts(call: Callable[[], object]) -> None:
    assert not concerns_one_part(catch(call), workers=1)


def test_errors_in_configuration_and_data_concern_all_parts() -> None:
    assert not concerns_one_part(ConfigError("x"), workers=1)
    assert not concerns_one_part(DataError("x"), workers=1)
