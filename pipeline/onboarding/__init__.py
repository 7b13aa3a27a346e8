"""The command `init`: reads any table and proposes a configuration that `run` takes unedited.

Only `pipeline.cli` and benchmarks import this package, through `propose_config`.
"""

from pipeline.onboarding.overrides import Overrides
from pipeline.onboarding.propose import Proposal, propose_config

__all__ = ["Overrides", "Proposal", "propose_config"]
