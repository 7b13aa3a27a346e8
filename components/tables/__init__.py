"""Reads CSV and Parquet files as typed Arrow tables; for all components and `init`."""
