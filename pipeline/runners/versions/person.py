"""Names the person who changes what is served, for the record of the change."""

from __future__ import annotations

import getpass
import os
import socket


def name_person() -> str:
    """Returns user@host; the user's number if the system knows no name, as in many containers."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
