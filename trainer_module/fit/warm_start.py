"""Copies weights of the served model into a new network, where they have the same meaning.

Weights are matched by name and shape. The rows of an embedding are matched by the category's text:
ids follow from the frequencies of categories, and change with the data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config import Features
from trainer_module.encoding.vocabulary_file import FILE_NAME, read_vocabularies
from trainer_module.models.piecewise import PiecewiseLinear
from trainer_module.names import first_token_id, transformed_name

Weight = npt.NDArray[np.float32]

_PREFIX, _SUFFIX = "_weights/", "/.ATTRIBUTES/VARIABLE_VALUE"
"""Texts around a weight's name in the checkpoint of a SavedModel that `export` wrote."""


def copy_served_weights(
    network: tf_keras.Model,
    served: str | None,
    features: Features,
    transform_output: tft.TFTransformOutput,
) -> dict[str, int]:
    """Copies matching weights from the SavedModel in `served` into the untrained `network`.

    Returns the number of copied weights and of all weights, for the report. Returns nothing if
    `served` is None.
    """
    if served is None:
        return {}
    old = read_weights(served)
    vocabularies = _Vocabularies(
        features,
        read_vocabularies(os.path.join(served, "assets", FILE_NAME)),
        read_vocabularies(transform_output.vocabulary_file_by_name(FILE_NAME)),
    )
    taken, wanted = 0, _learned_variables(network)
    for name, variable in wanted.items():
        if (
            name in old
            and (value := vocabularies.map_old_weight(name, old[name], variable)) is not None
        ):
            variable.assign(value)
            taken += 1
    return {"served_weights": taken, "weights": len(wanted)}


def _learned_variables(network: tf_keras.Model) -> dict[str, tf.Variable]:
    """Returns the variables to start from the served model, by name.

    These include untrained ones, such as a layer's moving means. The edges of bins are left out:
    they belong to the new data.
    """
    variables = variables_by_name(network.weights)
    return {n: v for n, v in variables.items() if not n.startswith(f"{PiecewiseLinear.NAME}/")}


def read_weights(served: str) -> dict[str, Weight]:
    """Returns the weights of this project's SavedModel by name; nothing if there is no model."""
    prefix = os.path.join(served, "variables", "variables")
    if not tf.io.gfile.exists(f"{prefix}.index"):
        return {}
    reader = tf.train.load_checkpoint(prefix)
    keys = [key for key in reader.get_variable_to_shape_map() if key.startswith(_PREFIX)]
    return {_weight_name(key): reader.get_tensor(key) for key in keys}


def _weight_name(key: str) -> str:
    """Returns the weight's name for a key of the checkpoint, which escapes slashes and dots."""
    escaped = key.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return re.sub(r"\.(.)", lambda match: "/" if match[1] == "S" else ".", escaped)


def variables_by_name(variables: Sequence[tf.Variable]) -> dict[str, tf.Variable]:
    """Returns the variables by name, with a number behind the name of a duplicate."""
    by_name: dict[str, tf.Variable] = {}
    for variable in variables:
        name = plain = variable.name.partition(":")[0]
        number = 1
        while name in by_name:
            number += 1
            name = f"{plain}~{number}"
        by_name[name] = variable
    return by_name


class _Vocabularies:
    """The ids of categories and tokens in the served model and in the new one."""

    def __init__(
        self,
        features: Features,
        old: Mapping[str, Sequence[bytes]],
        new: Mapping[str, Sequence[bytes]],
    ) -> None:
        self._first = {
            transformed_name(column): first_token_id(feature)
            for column, feature in features.items()
            if feature.kind in ("categorical", "text")
        }
        self._old = old
        self._new = new

    def map_old_weight(self, weight: str, old: Weight, variable: tf.Variable) -> Weight | None:
        """Returns the new value of `variable` with the old weight's rows in their new places.

        Returns None if the shapes do not match.
        """
        # An embedding's name is a role, two underscores and the transformed name of the feature.
        name = weight.split("/")[0].partition("__")[2]
        if name not in self._first or not weight.endswith("/embeddings"):
            return old if old.shape == variable.shape else None
        if old.shape[1:] != variable.shape[1:]:
            return None
        value: Weight = variable.numpy()
        to, taken = self._match_ids(name, len(old), len(value))
        value[to] = old[taken]
        return value

    def _match_ids(self, name: str, old_size: int, new_size: int) -> tuple[list[int], list[int]]:
        """Returns the new and the old ids of the entries that both vocabularies have."""
        first = self._first[name]
        old, new = self._old.get(name, ()), self._new.get(name, ())
        then = {token: index for index, token in enumerate(old, start=first)}
        pairs = [(i, i) for i in range(first)]
        pairs += [(i, then[t]) for i, t in enumerate(new, start=first) if t in then]
        now_oov, then_oov = first + len(new), first + len(old)
        if new_size - now_oov == old_size - then_oov:
            pairs += [(now_oov + i, then_oov + i) for i in range(new_size - now_oov)]
        return [now for now, _ in pairs], [old_id for _, old_id in pairs]
