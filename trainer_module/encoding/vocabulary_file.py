"""Formats and reads the file with the vocabularies of all columns.

For each column, the file has a line with the name of the transformed feature. The lines below hold
the column's tokens, the most frequent first, each after the name and a tab:

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
"""Separates name and token. A name cannot contain a tab, a token can."""
END = "."
"""The last line. No name is a dot."""


def format_vocabularies(vocabularies: Mapping[str, Sequence[bytes]]) -> bytes:
    """Returns the content of the file for tokens by name."""
    lines = []
    for name, tokens in vocabularies.items():
        prefix = (name + SEPARATOR).encode()
        lines += [name.encode(), *(prefix + token for token in tokens)]
    return b"\n".join([*lines, END.encode(), b""])


def vocabulary_sizes(transform_output: tft.TFTransformOutput) -> Counter[str]:
    """Returns the number of tokens of each vocabulary, by the name of the transformed feature."""
    path = transform_output.vocabulary_file_by_name(FILE_NAME)
    return Counter(name for name, _ in _read_tokens(path))


def read_vocabularies(path: str | None) -> dict[str, list[bytes]]:
    """Returns tokens by the name of the transformed feature; an empty dictionary without a file."""
    vocabularies: dict[str, list[bytes]] = {}
    for name, token in _read_tokens(path):
        vocabularies.setdefault(name, []).append(token)
    return vocabularies


def _read_tokens(path: str | None) -> Iterator[tuple[str, bytes]]:
    """Yields name and token of each line of the file."""
    if path is None or not tf.io.gfile.exists(path):
        return
    with tf.io.gfile.GFile(path, "rb") as file:
        for line in file:
            name, separator, token = line.rstrip(b"\n").partition(SEPARATOR.encode())
            if separator:
                yield name.decode(), token
