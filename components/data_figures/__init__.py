"""DataFigures: the figures of a run's page that show the data. Only dag.py and runners import it."""
