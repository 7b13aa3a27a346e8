"""The model server: answers requests with the pushed model, as TensorFlow Serving's REST API does.

`processes/` starts and supervises worker processes and switches versions, `model/` loads a
SavedModel and batches requests, `rows/` turns JSON into tensors and back, `http/` is the web
application of a worker, and `pages/` holds the files of its two pages.

The package may import `pipeline.core`, `pipeline.config` and `components.served_model`. Only a
worker process imports TensorFlow.
"""
