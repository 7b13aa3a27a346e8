"""The Evaluator, its metrics, and readers of its results.

The DAG, runners and benchmarks import it.
"""
