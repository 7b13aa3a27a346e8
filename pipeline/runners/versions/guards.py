"""What `rollback` and `promote` check before they change the served version."""

from __future__ import annotations

from components.served_model.served_record import ServedRecord, read_pointer_file
from components.served_model.version_records import refuse_lost_pointer
from components.served_model.waiting import list_numbers
from pipeline.core.errors import ConfigError


def read_served(serving: str) -> ServedRecord:
    """Returns the record of the served version.

    Raises:
      ConfigError: nothing is served.
    """
    served = read_pointer_file(serving)
    if served is None:
        refuse_lost_pointer(serving)
        hint = "a candidate waits: `promote` serves it" if list_numbers(serving) else ""
        raise ConfigError(f"{serving}: no model is served here", hint or "`run` pushes a model")
    return served


def refuse_if_changed(serving: str, seen: ServedRecord | None) -> None:
    """Raises ConfigError if another version is served than the one that the command saw."""
    served = read_pointer_file(serving)
    if (served and served.version) != (seen and seen.version):
        raise ConfigError(
            f"{serving}: another process made version {served.version if served else '-'} the "
            "served version meanwhile, so nothing was changed",
            "look at `versions`, then repeat the command if it is still right",
        )
