"""How a run on Kubeflow is told what `--set` tells one on this machine."""

from __future__ import annotations


def for_a_run(text: str) -> str:
    """Advice to run with "`--set KEY=VALUE`", as `deploy` and the local executor take it."""
    return text.replace("`--set ", "`--parameter overrides=")
