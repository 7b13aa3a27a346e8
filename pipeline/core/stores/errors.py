"""Turns errors of object stores into sentences: what failed, where, and what to do.

obstore has few types of errors. What happened stands in their texts, which quote the answer of the
server: its status, and a code that all providers write in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.core.errors import ConfigError, DataError, PipelineError
from pipeline.core.stores.address import Provider, StoreAddress
from pipeline.core.text import short_message

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>\s*(\w+)\s*</Code>")
_SERVER = re.compile(r"https?://[^/\s?]+")
_REQUEST = re.compile(r"(https?://[^/\s?]+)\S*")
_NO_BUCKET = ("NoSuchBucket", "InvalidBucketName", "ContainerNotFound", "InvalidResourceName")
_NO_CREDENTIALS = (
    "Missing AccessKeyId", "Missing SecretAccessKey",
    # Where the libraries look last: the metadata server of a machine in the cloud.
    "169.254.169.254", "169.254.170.2", "metadata.google.internal", "token request",
    "service account",
)  # fmt: skip
_OTHER_REGION = (
    "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraint",
    "redirect without LOCATION",
)  # fmt: skip
_REFUSED_TOKENS = ("ExpiredToken", "InvalidToken", "TokenRefreshRequired")
"""Codes of answers with the status 400 that are about credentials all the same."""
_NO_ANSWER = ("error sending request", "dns error", "tcp connect error")
_PASSING = (408, 425, 429, 500, 502, 503, 504)

_CREDENTIALS: dict[Provider, str] = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a "
    "public bucket",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or "
    "GOOGLE_SKIP_SIGNATURE=true for a public bucket",
    "azure": "set AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, or "
    "AZURE_SKIP_SIGNATURE=true for a public container",
}
_ENDPOINT_VARIABLE: dict[Provider, str] = {
    "s3": "AWS_ENDPOINT_URL",
    "gs": "STORAGE_EMULATOR_HOST or GOOGLE_BASE_URL",
    "azure": "AZURE_STORAGE_ENDPOINT",
}


class StoreFailedError(PipelineError):
    """The store was reached and failed, more often than this project tries again."""


class StoreAccessError(ConfigError):
    """The environment of this process, or its network, does not lead to the store."""


class NoObjectError(ConfigError):
    """There is no object at the address; or no such bucket, which some requests cannot tell."""


@contextmanager
def explaining_store_errors(address: StoreAddress) -> Iterator[None]:
    """Turns errors of obstore into errors for the user; all others pass.

    Raises:
      ConfigError: no such bucket or object, no or wrong credentials, no answer from the endpoint.
      DataError: the object is not the one that was found before (a condition failed).
      StoreFailedError: the store failed again and again, or broke off each answer.
    """
    try:
        yield
    except PipelineError:
        raise
    except Exception as error:
        if not _is_of_store(error):
            raise
        raise explain_store_error(address, error) from None


def explain_store_error(address: StoreAddress, error: BaseException) -> PipelineError:
    """Returns the error to show for an error of obstore."""
    from obstore.exceptions import PreconditionError

    # Without the rest of the address: its query may hold a signature, and its key any word.
    text = _REQUEST.sub(r"\1", str(error).partition("\n\nDebug source")[0])
    status = int(found[1]) if (found := _STATUS.search(text)) else None
    code = found[1] if (found := _CODE.search(text)) else ""
    answered = " ".join(dict.fromkeys(filter(None, (str(status or ""), code))))
    if isinstance(error, PreconditionError):
        return changed_error(address)
    if any(sign in text for sign in _NO_CREDENTIALS):
        return StoreAccessError(
            f"{address}: the environment holds no credentials for this store",
            _CREDENTIALS[address.provider],
        )
    if code in _NO_BUCKET:
        return ConfigError(f"{address}: there is no {_container(address)} '{address.bucket}'")
    if isinstance(error, FileNotFoundError) or status == 404:
        return NoObjectError(f"{address}: there is no such object")
    if status == 301 or any(sign in text for sign in _OTHER_REGION):
        return StoreAccessError(
            f"{address}: the bucket lies in another region", "set AWS_REGION to its region"
        )
    if status in (401, 403) or code in _REFUSED_TOKENS:
        return StoreAccessError(
            f"{address}: the store denied access ({answered})",
            "check that the credentials in the environment are right and may list and read there; "
            + _CREDENTIALS[address.provider],
        )
    if status is None and any(sign in text for sign in _NO_ANSWER):
        return StoreAccessError(
            f"{address}: no answer from {_server(text)}",
            f"check the network and {_ENDPOINT_VARIABLE[address.provider]}",
        )
    if status in _PASSING or (status is None and "HTTP error" in text):
        cause = answered or _first_line(text)
        return StoreFailedError(
            f"{address}: the store failed again and again: {cause}", "try again later"
        )
    return ConfigError(f"{address}: the store refused the request: {_first_line(text)}")


def changed_error(place: object) -> DataError:
    """Returns the error of an object or a file that is not the one that was found before.

    Args:
      place: an address, or the path of a file.
    """
    return DataError(f"{place}: the file was changed while it was read", "run again")


def _is_of_store(error: BaseException) -> bool:
    from obstore.exceptions import BaseError

    # obstore raises these two built-in types as well; those of the system have an errno.
    is_lost = isinstance(error, FileNotFoundError) and error.errno is None
    is_odd_path = isinstance(error, ValueError) and "parse path" in str(error)
    return isinstance(error, BaseError) or is_lost or is_odd_path


def _container(address: StoreAddress) -> str:
    return "container" if address.provider == "azure" else "bucket"


def _server(text: str) -> str:
    found = _SERVER.search(text)
    return found[0] if found else "the store"


def _first_line(text: str) -> str:
    return short_message(text.partition("\n")[0])
