"""Readers of statistics and schemas, for schema_curator, anomaly_gate and data_figures."""
