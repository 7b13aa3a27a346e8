"""Executes compiled files on this machine as Kubeflow would. No other package imports this one.

The executor shares no code with the compiler and the entrypoint, because it checks their work.
"""
