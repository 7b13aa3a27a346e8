"""The Evaluator's predictions as a table, and metrics with intervals from them; components share it."""
