"""Figures are read back as they were written, without TensorFlow."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from components.model_figures.figures import Curve, Estimate
from components.run_figures.figures_file import read_figures, write_figures


def test_figures_are_read_back(tmp_path: Path) -> None:
    curve = Curve((0.0, 1.0), (0.5, 0.75))
    write_figures(tmp_path / "curve.json", curve)
    assert read_figures(tmp_path / "curve.json", Curve) == curve


def test_nan_is_read_back_as_none(tmp_path: Path) -> None:
    write_figures(tmp_path / "estimate.json", Estimate(math.nan, 0.0, math.inf))
    assert read_figures(tmp_path / "estimate.json", Estimate) == Estimate(None, 0.0, None)


def test_other_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "curve.json").write_text('{"x": 1}')
    with pytest.raises(ValueError, match="x"):
        read_figures(tmp_path / "curve.json", Curve)


def test_reading_needs_no_tensorflow() -> None:
    code = "import sys, components.run_figures.figures_file; sys.exit('tensorflow' in sys.modules)"
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
