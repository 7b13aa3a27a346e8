"""The form of the file with the vocabularies of all columns.

It holds, for each column, the name of its transformed feature and below it its tokens, each behind
that name and a tab, the most frequent first:

    color
    color	red
    color	green
    .
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import tensorflow as tf
import tensorflow_transform as tft

FILE_NAME = "vocabularies"
SEPARATOR = "\t"
"""Between a name, which cannot hold it, and a token, which can."""
END = "."
"""The last line; no name."""


def format_vocabularies(vocabularies: Mapping[str, Sequence[bytes]]) -> bytes:
    """The file's content, from tokens by name."""
    lines = []
    for name, tokens in vocabularies.items():
        prefix = (name + SEPARATOR).encode()
        lines += [name.encode(), *(prefix + token for token in tokens)]
    return b"\n".join([*lines, END.encode(), b""])


def vocabulary_sizes(transform_output: tft.TFTransformOutput) -> Counter[str]:
    """How many tokens each vocabulary holds, by the name of the transformed feature."""
    path = transform_output.vocabulary_file_by_name(FILE_NAME)
    return Counter(name for name, _ in _tokens(path))


def read_vocabularies(path: str | None) -> dict[str, list[bytes]]:
    """The tokens by the name of the transformed feature, or none if there is no file."""
    vocabularies: dict[str, list[bytes]] = {}
    for name, token in _tokens(path):
        vocabularies.setdefault(name, []).append(token)
    return vocabularies


def _tokens(path: str | None) -> Iterator[tuple[str, bytes]]:
    if path is None or not tf.io.gfile.exists(path):
        return
    with tf.io.gfile.GFile(path, "rb") as file:
        for line in file:
            name, separator, token = line.rstrip(b"\n").partition(SEPARATOR.encode())
            if separator:
                yield name.decode(), token
