"""Apache Spark as the engine."""
