"""The model server: answers requests with the pushed model, as TensorFlow Serving's REST API does.

`processes/` starts and supervises worker processes and switches versions, `model/` loads a
SavedModel and batches requests, `rows/` turns JSON into tensors and back, `http/` is the web
application of a worker, and `pages/` holds the files of its two pages. `batch/` scores files.

The package may import `pipeline.core`, `pipeline.config`, `components.served_model` and, for
files, `components.tables`. Only a worker process imports TensorFlow.
"""
