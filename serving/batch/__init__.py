"""Batch prediction: scores the rows of CSV and Parquet files with a pushed model.

`command.py` starts the process that predicts, `predict.py` is what that process does, and the other
files are its steps. The files are read as the training table was read (`components/tables`), and
the model is called as the server calls it (`serving/model/saved_model.py`).
"""
