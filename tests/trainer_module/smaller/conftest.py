"""Keeps autograph from converting Keras, as `compile_model` does, which saves ten seconds."""

from trainer_module.fit.training import _leave_keras_unconverted

_leave_keras_unconverted()
