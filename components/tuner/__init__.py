"""The component Tuner: searches for the values of configuration keys that train the best model.

The DAG imports the component; runners import `results` to read its table.
"""
