"""The WarmStart component. Only the DAG imports it."""
