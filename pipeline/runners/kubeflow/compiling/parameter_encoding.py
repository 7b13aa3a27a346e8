"""Encodes text parameters so that they reach a task unchanged.

Kubeflow passes all parameters of a task in one command line argument, as JSON inside JSON. Linux
refuses an argument above 128 KB, which the parameters of a table with 600 columns exceed. In
arguments Kubernetes also turns `$$` into `$` and replaces `$(NAME)` by the variable's value.
"""

from __future__ import annotations

import base64
import zlib

_LONGEST_PLAIN = 16_384
"""The most characters of a text that stays readable in Kubeflow's pages. Longer texts are
compressed, because their argument could exceed 128 KB."""
_PREFIX = "zlib:"


def encode_parameter(text: str) -> str:
    """Returns the text, compressed if it is long or contains a `$`.

    Other texts stay as they are, and so readable in Kubeflow's pages.
    """
    if len(text) <= _LONGEST_PLAIN and "$" not in text:
        return text
    return _PREFIX + base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def decode_parameter(text: str) -> str:
    """Returns the text that `encode_parameter` encoded.

    Raises:
      ValueError: the encoded text is damaged.
    """
    if not text.startswith(_PREFIX):
        return text
    try:
        return zlib.decompress(base64.b64decode(text.removeprefix(_PREFIX))).decode()
    except zlib.error as error:
        raise ValueError(str(error)) from None
