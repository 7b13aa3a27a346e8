"""ModelFigures: the figures of a run's page that show the model. Only dag.py and runners import it."""
