"""Keras callbacks that act between the steps of a fit; only `trainer_module.fit` imports them."""
