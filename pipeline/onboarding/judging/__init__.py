"""Judges what the label and each column mean; only `pipeline.onboarding` imports this."""
