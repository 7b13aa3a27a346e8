"""The command line, the DAG and the runners; see docs/architecture.md."""
