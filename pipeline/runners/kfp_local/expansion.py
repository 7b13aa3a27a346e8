"""What Kubernetes makes of the variables in a container's command line and environment.

`$(NAME)` is replaced where the container has such a variable, else it stays; `$$` is one dollar,
and so protects what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SIGN = re.compile(r"\$(?:\$|\(([^)]*)\))")


def expand_variables(text: str, variables: Mapping[str, str]) -> str:
    """The text as it reaches the container; what is put in is not looked at again."""

    def value(sign: re.Match[str]) -> str:
        return "$" if sign[1] is None else variables.get(sign[1], sign[0])

    return _SIGN.sub(value, text)
