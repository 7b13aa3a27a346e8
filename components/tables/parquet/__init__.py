"""Reads Parquet files in batches of bounded memory, and casts what they store."""
