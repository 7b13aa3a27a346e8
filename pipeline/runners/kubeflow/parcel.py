"""Long texts among parameters, made short: Linux takes no argument of a command above 128 KB.

Kubeflow hands a task its parameters in one argument, as JSON inside of JSON. A table of 600 columns
would not get through.
"""

from __future__ import annotations

import base64
import zlib

_LONG = 16_384
_MARK = "zlib:"


def packed(text: str) -> str:
    """The text, compressed if it is long; a short one stays readable in Kubeflow's pages."""
    if len(text) <= _LONG:
        return text
    return _MARK + base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(text: str) -> str:
    """What `packed` was given."""
    if not text.startswith(_MARK):
        return text
    return zlib.decompress(base64.b64decode(text.removeprefix(_MARK))).decode()
