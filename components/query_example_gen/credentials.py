"""Checks that Google credentials exist before a query is sent to BigQuery."""

from __future__ import annotations

import os

from pipeline.core.errors import ConfigError
from pipeline.core.text import shorten

_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
# Characters of Google's message: the cause is in its first sentence, and some messages fill pages.
_LONGEST_MESSAGE = 300


def require_credentials() -> None:
    """Checks that Google's application default credentials exist; does not send them to Google.

    Raises:
      ConfigError: there are no credentials, or they cannot be read.
    """
    # Imported here because the import takes 0.2 s, and most tables are files.
    import google.auth

    try:
        google.auth.default()
    except Exception as error:
        # A file without credentials can raise any error, such as UnicodeDecodeError or TypeError.
        words = str(error.args[0] if error.args else error)
        cause, *_ = shorten(words, _LONGEST_MESSAGE).split(". ")
        file = os.environ.get(_VARIABLE)
        named = f"{_VARIABLE}={file}: " if file else ""
        raise ConfigError(
            f"data.source: no Google credentials for BigQuery: {named}{cause.rstrip('.')}",
            "run `gcloud auth application-default login`, or set "
            "GOOGLE_APPLICATION_CREDENTIALS=FILE; for a task of Kubeflow, set "
            "kubeflow.components.ExampleGen.secret_files and env",
        ) from None
