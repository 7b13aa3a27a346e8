"""The ServedModel component, which the pipeline uses twice. Only the DAG imports it."""
