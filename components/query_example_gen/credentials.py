"""Whether BigQuery will know who asks: found out before anybody asks it."""

from __future__ import annotations

from pipeline.config import ConfigError


def require_credentials() -> None:
    """Looks for Google's application default credentials; asks nobody whether they are accepted.

    Raises:
      ConfigError: there are none, or they cannot be read.
    """
    # Its library takes a fifth of a second, and most tables are files.
    import google.auth
    from google.auth.exceptions import GoogleAuthError

    try:
        google.auth.default()
    except GoogleAuthError as error:
        cause, *_ = str(error).split(". ")
        raise ConfigError(
            f"data.source: BigQuery would not know who asks: {cause.rstrip('.')}",
            "gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS=FILE; for a "
            "task of Kubeflow, kubeflow.components.ExampleGen.secret_files and env",
        ) from None
