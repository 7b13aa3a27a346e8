"""Starts, watches and restarts worker processes; DistributedTrainer and Tuner use it.

It imports no component. Every component may import it.
"""
