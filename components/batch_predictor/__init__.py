"""BatchPredictor: scores the files of the section `prediction` with the served version."""
