"""The Evaluator, its metrics, and readers of its results; for pipeline/ only."""
