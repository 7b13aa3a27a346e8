"""Opens a bucket, with credentials and endpoint from the environment alone.

So a configuration holds no secret, and the same configuration reads from a store in the cloud, from
MinIO on a cluster, and from a server of a test. obstore is imported here, when an address is met:
most commands never do.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pipeline.core.stores.address import StoreAddress
from pipeline.core.stores.errors import StoreAccessError, explaining_store_errors

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

_RETRIES: RetryConfig = {
    # Stores that are asked too often refuse for seconds, a restart of a small server takes half a
    # minute. The pauses grow from a fifth of a second; those of the library alone are over sooner.
    "max_retries": 10,
    "retry_timeout": timedelta(minutes=3),
    "backoff": {
        "init_backoff": timedelta(milliseconds=200),
        "max_backoff": timedelta(seconds=15),
        "base": 2,
    },
}
_TIMEOUTS: ClientConfig = {
    "connect_timeout": timedelta(seconds=5),
    # Of a whole request with its body. A request reads or writes 8 MB at most, see `reading`.
    "timeout": timedelta(seconds=60),
}
_ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "gs": ("STORAGE_EMULATOR_HOST", "GOOGLE_BASE_URL"),
    "azure": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}
"""The variables that name another endpoint than the provider's, the first has precedence."""


_NO_ACCOUNT = {"disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
"""What makes the library ask an emulator without a token."""


def open_store(address: StoreAddress) -> ObjectStore:
    """Returns the bucket of the address; keys are those of the whole bucket.

    The bucket is not asked yet: a wrong name shows at the first request, and
    `explaining_store_errors` tells it. A process opens each bucket once.

    Raises:
      StoreAccessError: a variable of the environment is wrong or missing.
    """
    return _open(address.with_key(""))


@functools.cache
def _open(address: StoreAddress) -> ObjectStore:
    with explaining_store_errors(address):
        return _STORES[address.provider](address)


def forget_stores() -> None:
    """Closes all buckets, so that a change of the environment holds: for tests."""
    _open.cache_clear()


def find_endpoint(address: StoreAddress, environment: Mapping[str, str] = os.environ) -> str:
    """Returns the endpoint that the environment names for the store; "" for the provider's own.

    Raises:
      StoreAccessError: the value is no address of a server.
    """
    for variable in _ENDPOINTS[address.provider]:
        endpoint = environment.get(variable, "")
        if not endpoint:
            continue
        if variable == "STORAGE_EMULATOR_HOST" and "://" not in endpoint:
            endpoint = f"http://{endpoint}"  # Google's own clients take a bare host, too.
        if not endpoint.startswith(("http://", "https://")):
            raise StoreAccessError(
                f"{variable}: the endpoint of {address.root} must begin with http:// or https://",
                f"set, for example, {variable}=https://storage.example.com",
            )
        return endpoint.rstrip("/")
    return ""


def _client_options(endpoint: str) -> ClientConfig:
    return {**_TIMEOUTS, "allow_http": True} if endpoint.startswith("http://") else _TIMEOUTS


def _open_s3(address: StoreAddress) -> ObjectStore:
    from obstore.store import S3Store

    endpoint = find_endpoint(address)
    config: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    return S3Store(
        address.bucket,
        config=config,  # type: ignore[arg-type]
        client_options=_client_options(endpoint),
        retry_config=_RETRIES,
    )


def _open_gs(address: StoreAddress) -> ObjectStore:
    from obstore.store import GCSStore

    endpoint = find_endpoint(address)
    config: dict[str, Any] = {"base_url": endpoint} if endpoint else {}
    if os.environ.get("STORAGE_EMULATOR_HOST"):
        config = {"service_account_key": json.dumps({**_NO_ACCOUNT, "gcs_base_url": endpoint})}
    return GCSStore(
        address.bucket,
        config=config,  # type: ignore[arg-type]
        client_options=_client_options(endpoint),
        retry_config=_RETRIES,
    )


def _open_azure(address: StoreAddress) -> ObjectStore:
    from obstore.store import AzureStore

    endpoint = find_endpoint(address)
    config: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    if address.account:
        config["account_name"] = address.account
    elif not os.environ.get("AZURE_STORAGE_ACCOUNT_NAME") and not _uses_emulator():
        raise StoreAccessError(
            f"{address.root} names no storage account",
            f"set AZURE_STORAGE_ACCOUNT_NAME, or write {address.scheme}://{address.bucket}"
            "@ACCOUNT.dfs.core.windows.net/...",
        )
    return AzureStore(
        address.bucket,
        config=config,  # type: ignore[arg-type]
        client_options=_client_options("http://" if _uses_emulator() else endpoint),
        retry_config=_RETRIES,
    )


def _uses_emulator() -> bool:
    return os.environ.get("AZURE_STORAGE_USE_EMULATOR", "").lower() in ("1", "true", "yes")


_STORES = {"s3": _open_s3, "gs": _open_gs, "azure": _open_azure}
