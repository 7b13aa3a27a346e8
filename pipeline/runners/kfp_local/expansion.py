"""Expands variables in a container's command line and environment as Kubernetes does.

`$(NAME)` becomes the value of the container's variable NAME, and stays if there is none. `$$`
becomes one dollar, so `$$(NAME)` becomes the text `$(NAME)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))")


def expand_variables(text: str, variables: Mapping[str, str]) -> str:
    """Returns the text as it reaches the container. Inserted values are not expanded again."""

    def replace(reference: re.Match[str]) -> str:
        return "$" if reference[1] is None else variables.get(reference[1], reference[0])

    return _REFERENCE.sub(replace, text)
