"""The figures of a run's page as an artifact; DataFigures and ModelFigures share this room."""
