"""Reads a table and gathers facts about its cells; only `pipeline.onboarding` imports this."""
