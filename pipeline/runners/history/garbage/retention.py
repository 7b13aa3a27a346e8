"""Applies the section `retention` after a run."""

from __future__ import annotations

from pipeline.core.text import message_of
from pipeline.runners.history.garbage.remove import plan_removal, remove
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.summary import RemovedRuns


def apply_retention(workspace: Workspace, keep: int) -> RemovedRuns:
    """Removes all but the newest `keep` runs; the caller must hold the lock of the workspace.

    An error, or an interruption, is part of what is returned: a run that pushed a model has not
    failed because the disk of old runs is not writable. The next run tries again.
    """
    try:
        return remove(plan_removal(workspace, keep), workspace)
    except KeyboardInterrupt:
        return RemovedRuns(error="interrupted")
    except Exception as error:
        return RemovedRuns(error=message_of(error) or type(error).__name__)
