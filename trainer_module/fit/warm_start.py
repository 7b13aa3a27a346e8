"""Starts training from the weights of the served model, as far as they mean the same.

Weights are matched by name and form. Categories are matched by their text: their ids follow from
how frequent they are, and change with the data.
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
"""Around a weight's name in the checkpoint of a SavedModel; see trainer_module.export."""


def copy_served_weights(
    network: tf_keras.Model,
    served: str | None,
    features: Features,
    transform_output: tft.TFTransformOutput,
) -> dict[str, int]:
    """Copies what fits from the SavedModel in `served` into the untrained `network`.

    Returns how many weights were taken over and of how many, for the report; nothing where none
    were asked for.
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
    """The weights by name, means that a layer has gathered included; edges are new data's own."""
    variables = variables_by_name(network.weights)
    return {n: v for n, v in variables.items() if not n.startswith(f"{PiecewiseLinear.NAME}/")}


def read_weights(served: str) -> dict[str, Weight]:
    """The weights of a SavedModel of this project by name, or none where there is no model."""
    prefix = os.path.join(served, "variables", "variables")
    if not tf.io.gfile.exists(f"{prefix}.index"):
        return {}
    reader = tf.train.load_checkpoint(prefix)
    keys = [key for key in reader.get_variable_to_shape_map() if key.startswith(_PREFIX)]
    return {_name(key): reader.get_tensor(key) for key in keys}


def _name(key: str) -> str:
    """Without what TensorFlow writes for slashes and dots."""
    escaped = key.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return re.sub(r"\.(.)", lambda match: "/" if match[1] == "S" else ".", escaped)


def variables_by_name(variables: Sequence[tf.Variable]) -> dict[str, tf.Variable]:
    """The variables by name; those of the same name are told apart by a number."""
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
    """The ids that categories had and have."""

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
        """The old values where they belong now; None where the weight has another form."""
        # Embeddings are called by a role, two underscores and the feature.
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
        """The ids now and the ids then of what is in both vocabularies."""
        first = self._first[name]
        old, new = self._old.get(name, ()), self._new.get(name, ())
        then = {token: index for index, token in enumerate(old, start=first)}
        pairs = [(i, i) for i in range(first)]
        pairs += [(i, then[t]) for i, t in enumerate(new, start=first) if t in then]
        now_oov, then_oov = first + len(new), first + len(old)
        if new_size - now_oov == old_size - then_oov:
            pairs += [(now_oov + i, then_oov + i) for i in range(new_size - now_oov)]
        return [now for now, _ in pairs], [old_id for _, old_id in pairs]
