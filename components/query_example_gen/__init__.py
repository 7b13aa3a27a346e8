"""ExampleGen for BigQuery, with a fingerprint for each answer; for pipeline/ only."""
