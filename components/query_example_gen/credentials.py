"""Whether BigQuery will know who asks: found out before anybody asks it."""

from __future__ import annotations

import os

from pipeline.core.errors import ConfigError
from pipeline.core.text import shorten

_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
_LONGEST = 300


def require_credentials() -> None:
    """Looks for Google's application default credentials; asks nobody whether they are accepted.

    Raises:
      ConfigError: there are none, or they cannot be read.
    """
    # Its library takes a fifth of a second, and most tables are files.
    import google.auth

    try:
        google.auth.default()
    except Exception as error:
        # What it makes of a file that is none of credentials is any error, of bytes or of types.
        words = str(error.args[0] if error.args else error)
        cause, *_ = shorten(words, _LONGEST).split(". ")
        file = os.environ.get(_VARIABLE)
        named = f"{_VARIABLE}={file}: " if file else ""
        raise ConfigError(
            f"data.source: BigQuery would not know who asks: {named}{cause.rstrip('.')}",
            "gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS=FILE; for a "
            "task of Kubeflow, kubeflow.components.ExampleGen.secret_files and env",
        ) from None
