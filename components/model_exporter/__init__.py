"""ModelExporter: smaller and faster forms of the model, each judged by the Evaluator's metrics."""
