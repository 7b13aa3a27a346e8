"""Lets Keras train without autograph, as `compile_model` does: the first fit is ten seconds faster."""

from trainer_module.fit.training import _leave_keras_unconverted

_leave_keras_unconverted()
