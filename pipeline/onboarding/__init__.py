"""Looks at any table and proposes a configuration that `run` takes unedited."""

from pipeline.onboarding.propose import Proposal, propose_config

__all__ = ["Proposal", "propose_config"]
