"""ExampleGen for CSV and Parquet files; for pipeline/ only."""
