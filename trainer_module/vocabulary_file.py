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
from collections.abc import Mapping, Sequence

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
    if path is None:
        return Counter()
    with tf.io.gfile.GFile(path, "rb") as file:
        names = (name for name, separator, _ in (_cut(line) for line in file) if separator)
        return Counter(name.decode() for name in names)


def _cut(line: bytes) -> tuple[bytes, bytes, bytes]:
    return line.partition(SEPARATOR.encode())
