"""The names of the model families."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

NETWORKS: Final = ("linear", "dnn", "wide_deep", "dcn_v2", "ensemble")
"""The families that are one network."""
TREES: Final = "trees"
"""The only family without a network."""
BLEND: Final = "blend"
"""The only family of several models."""
FAMILIES: Final = (*NETWORKS, TREES, BLEND)


def check_family(family: str, known: Sequence[str]) -> str:
    """Returns `family` if it is known, or the dotted path of a user's own function.

    Raises:
      ValueError: it is neither.
    """
    if family in known or ("." in family and all(map(str.isidentifier, family.split(".")))):
        return family
    near = difflib.get_close_matches(family, known, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
    raise ValueError(f"there is no model family {family!r}; {hint}")
