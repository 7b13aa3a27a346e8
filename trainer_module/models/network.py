"""Builds the network of the configuration: the inputs, a model family and the task's head."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, cast

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from pipeline.config import Features, ModelConfig
from pipeline.core.errors import ConfigError
from pipeline.core.text import message_of, shorten
from trainer_module.heads import Head
from trainer_module.models import dcn_v2, dnn, ensemble, linear, wide_deep
from trainer_module.models.inputs import Inputs, make_inputs
from trainer_module.models.ngram_sums import add_ngram_sums
from trainer_module.models.piecewise import Edges

Scores = Callable[[Inputs, Head, ModelConfig], tf.Tensor]
"""A model family: a function from the inputs to the scores, before the head scales them.

The scores are [batch, head.units], or [batch, members, head.units] for an ensemble.
"""

_LONGEST_ERROR = 2000
"""Characters. Keras writes messages of several lines with the cause in the middle: a shorter limit
would cut the cause off."""

_FAMILIES: Mapping[str, Scores] = {
    "linear": linear.scores,
    "dnn": dnn.scores,
    "wide_deep": wide_deep.scores,
    "dcn_v2": dcn_v2.scores,
    "ensemble": ensemble.scores,
}


def build_model(
    features: Features,
    transform_output: tft.TFTransformOutput,
    head: Head,
    config: ModelConfig,
    edges: Mapping[str, Edges] | None = None,
) -> tf_keras.Model:
    """Returns the untrained network from Transform's outputs to the head's output.

    The network takes tensors by transformed name, float32 or int64 [batch, width] each. It returns
    float32 [batch, head.units]. An ensemble returns the output of each member, [batch, members,
    head.units], in training, and the combined output otherwise. `edges` are the result of
    `find_bin_edges`.

    Raises:
      ConfigError: the function that `model.family` or `model.blend.network` names does not exist,
        fails, returns another shape, or creates weights that the network does not hold.
    """
    # Without the reset, the names of the weights would depend on the networks built before.
    tf_keras.backend.reset_uids()
    inputs = make_inputs(features, transform_output, edges or {})
    variables: list[tf.Variable] = []
    with _record_variables(variables):
        scores = _compute_scores(inputs, head, config)
    batch, *members, units = scores.shape
    if batch is not None or len(members) > 1 or units != head.units:
        raise ConfigError(
            f"{_name(config)} returns scores of shape {tuple(scores.shape)}, "
            f"not (None, {head.units})"
        )
    scores = add_ngram_sums(scores, inputs.ngrams)
    # In mixed precision, layers compute in float16 or bfloat16; losses and clients need float32.
    scores = tf_keras.layers.Activation("linear", dtype="float32")(scores)
    output = head.output(scores)
    try:
        model = tf_keras.Model(inputs.by_name, _CombineMembers(head)(output) if members else output)
    except ValueError as error:  # For example, two layers have the same name.
        raise _family_error(config, error) from error
    _require_variables_held(config, variables, model)
    return model


def _name(config: ModelConfig) -> str:
    """Returns the family of the network after the key that names it, for an error."""
    return f"{config.network_key}: {config.network_family}"


@contextlib.contextmanager
def _record_variables(variables: list[tf.Variable]) -> Iterator[None]:
    """Appends every variable that is created in this context to the list."""

    def create(next_creator: Callable[..., tf.Variable], **settings: Any) -> tf.Variable:
        variables.append(next_creator(**settings))
        return variables[-1]

    with tf.variable_creator_scope(create):
        yield


def _require_variables_held(
    config: ModelConfig, variables: Iterable[tf.Variable], model: tf_keras.Model
) -> None:
    """Raises ConfigError if the family created weights that the network does not hold.

    Keras neither trains nor saves such weights, and gives no warning.
    """
    # In mixed precision, a layer holds its variables in wrappers.
    held = {id(getattr(weight, "_variable", weight)) for weight in model.weights}
    # Integer variables are Keras's counters, not weights.
    weights = [v for v in variables if v.trainable and v.dtype.is_floating]
    if lost := [v.name.removesuffix(":0") for v in weights if id(v) not in held]:
        names = shorten(", ".join(lost), 200)
        raise ConfigError(
            f"{_name(config)} creates weights that its network does not hold: {names}",
            "use layers of tf_keras (`import keras` is Keras 3), create variables inside of layers "
            "only, and use the result of every layer",
        )


def _compute_scores(inputs: Inputs, head: Head, config: ModelConfig) -> tf.Tensor:
    if config.network_family in _FAMILIES:
        return _FAMILIES[config.network_family](inputs, head, config)
    family = _import_family(config)
    with _explain_errors(config):
        scores = family(inputs, head, config)
    if isinstance(scores, tf_keras.Model):
        raise ConfigError(
            f"{_name(config)} returns a network instead of scores",
            "call the network: `return network(inputs.together())`",
        )
    if not hasattr(scores, "shape"):
        raise ConfigError(
            f"{_name(config)} returns {scores!r}, not scores of shape (None, {head.units})"
        )
    return scores


@contextlib.contextmanager
def _explain_errors(config: ModelConfig) -> Iterator[None]:
    """Turns any error of the user's code, SystemExit included, into a ConfigError with its line."""
    try:
        yield
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _family_error(config, error) from error


def _family_error(config: ModelConfig, error: BaseException) -> ConfigError:
    words = shorten(message_of(error), _LONGEST_ERROR) or "no message"
    failed = f"{_name(config)} failed with {type(error).__name__}: {words}"
    return ConfigError(failed, _locate_error(config.own_module, error))


def _locate_error(module: str | None, error: BaseException) -> str:
    """Returns words about the last executed line of the family's module; "" if there is none.

    Lines of libraries that the module calls would not help the user.
    """
    spec = importlib.util.find_spec(module) if module else None
    own = spec.origin if spec else None
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == own]
    return f"look at {own}, line {lines[-1].lineno}: {lines[-1].line}" if lines else ""


class _CombineMembers(tf_keras.layers.Layer):
    """Combines the outputs of an ensemble's members, except in training."""

    def __init__(self, head: Head) -> None:
        super().__init__(name="together", dtype="float32")
        self._head = head

    def call(self, outputs: tf.Tensor, training: bool | None = None) -> tf.Tensor:
        return outputs if training else self._head.combine_members(outputs)


def _import_family(config: ModelConfig) -> Scores:
    path = config.network_family
    name, _, function = path.rpartition(".")
    with _explain_errors(config):
        module = _import_module(name, config)
    family = getattr(module, function, None)
    if not callable(family):
        problem = f"there is no function {path}" if family is None else f"{path} is not a function"
        raise ConfigError(f"{config.network_key}: {problem}", f"the module is {module.__file__}")
    return cast(Scores, family)


def _import_module(name: str, config: ModelConfig) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(
            f"{config.network_key}: there is no module {error.name} for {config.network_family}",
            f"use one of {', '.join(_FAMILIES)}, or install the package with the module",
        ) from error
