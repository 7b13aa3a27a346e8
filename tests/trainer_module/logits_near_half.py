"""Logits of two classes for which float32's sigmoid is 0.5, or just not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def logits_near_half() -> npt.NDArray[np.float32]:
    """Returns powers of two on both sides of 0 and 0 itself, each with its neighbours."""
    powers = 2.0 ** np.arange(-40, -18)
    logits = np.concatenate([-powers, [0], powers]).astype(np.float32)
    walks = [logits]
    for way in (-np.inf, np.inf):
        walks += [np.nextafter(logits, np.float32(way))]
        walks += [np.nextafter(walks[-1], np.float32(way))]
    return np.unique(np.concatenate(walks))
