"""Rows as tf.Examples and as files of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf


def to_example(row: Mapping[str, Any]) -> tf.train.Example:
    """Returns the row as a record; None is no value."""
    example = tf.train.Example()
    for name, value in row.items():
        values = value if isinstance(value, list) else [value]
        lists = example.features.feature[name]
        for item in values:
            if isinstance(item, float):
                lists.float_list.value.append(item)
            elif isinstance(item, int):
                lists.int64_list.value.append(item)
            elif item is not None:
                lists.bytes_list.value.append(item if isinstance(item, bytes) else item.encode())
    return example


def write_records(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for row in rows:
            writer.write(to_example(row).SerializeToString())


def read_ids(directory: Path, name: str) -> set[int]:
    """Returns the values of the feature `name` in all files of a split."""
    files = sorted(map(str, directory.glob("*.gz")))
    found = set()
    for record in tf.data.TFRecordDataset(files, compression_type="GZIP"):
        example = tf.train.Example.FromString(record.numpy())
        found.add(example.features.feature[name].int64_list.value[0])
    return found
