"""ModelFigures: the figures of a run that show the model. Only dag.py and runners import it."""
