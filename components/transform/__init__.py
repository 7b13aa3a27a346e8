"""The Transform component with its own Parquet reader and writer. Only the DAG imports it."""
