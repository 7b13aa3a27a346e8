"""DataFigures: the figures of a run that show the data. Only dag.py and runners import it."""
