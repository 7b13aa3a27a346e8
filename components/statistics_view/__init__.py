"""Readers of statistics and schemas, for schema_curator and anomaly_gate only."""
