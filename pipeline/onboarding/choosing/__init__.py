"""Chooses features, split, model size and threshold; only `pipeline.onboarding` imports this."""
