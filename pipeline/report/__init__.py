"""The page of a run: its content, and HTML from it. Runners and the command line import it."""
