"""Texts among parameters, in a form that comes through to a task as it is.

Kubeflow hands a task its parameters in one argument, as JSON inside of JSON. Linux takes none above
128 KB, which a table of 600 columns exceeds; and Kubernetes makes `$` of `$$` in it, and puts
variables in the place of `$(NAME)`.
"""

from __future__ import annotations

import base64
import zlib

_LONG = 16_384
_MARK = "zlib:"


def encode_parameter(text: str) -> str:
    """The text, compressed if it is long or has a `$`; others stay readable in Kubeflow's pages."""
    if len(text) <= _LONG and "$" not in text:
        return text
    return _MARK + base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def decode_parameter(text: str) -> str:
    """What `packed` was given.

    Raises:
      ValueError: the text is damaged.
    """
    if not text.startswith(_MARK):
        return text
    try:
        return zlib.decompress(base64.b64decode(text.removeprefix(_MARK))).decode()
    except zlib.error as error:
        raise ValueError(str(error)) from None
