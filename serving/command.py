"""What the command `serve` does: it checks the model and the files, binds the port and serves."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.errors import ConfigError
from serving.bearer_tokens import BearerTokens
from serving.processes.sources import open_source
from serving.processes.supervisor import Supervisor


@dataclass(frozen=True)
class Announcement:
    """What the user is told when the server answers."""

    name: str
    version: str
    address: str
    workers: int
    rpc_address: str


def serve(
    name: str, directory: Path, settings: ServerConfig, announce: Callable[[Announcement], None]
) -> int:
    """Serves the model in a directory until SIGTERM or Ctrl-C; returns the exit code.

    Args:
      name: the model's name in the paths of requests.
      directory: a serving directory, or the directory of a SavedModel.
      announce: called when the server answers, and at each switch to another version.

    Raises:
      ConfigError: there is no model, the name or a file is wrong, tokens would cross the network
        unencrypted, or the port cannot be bound.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    _check_name(name)
    source = open_source(directory)
    if settings.token_file is not None:
        BearerTokens(settings.token_file)
        _refuse_plain_tokens(settings)
    _check_certificate(settings)
    with bind(settings.host, settings.port) as listener, _reserve(settings) as rpc_address:
        address = _describe_address(listener, settings)

        def tell(version: str) -> None:
            announce(Announcement(name, version, address, settings.workers, rpc_address))

        return asyncio.run(_run(name, source, settings, listener, rpc_address, tell))


def _check_name(name: str) -> None:
    if not name or "/" in name or ":" in name:
        raise ConfigError(
            f"the model's name {name!r} cannot stand in the path of a request: it is empty or has "
            "one of the characters / and :",
            "give another --name",
        )


def _refuse_plain_tokens(settings: ServerConfig) -> None:
    """Raises ConfigError if tokens would come from other machines without TLS, unless allowed."""
    if settings.tls_certificate or settings.plain_tokens or _is_loopback(settings.host):
        return
    raise ConfigError(
        f"the tokens of --token-file would cross the network unencrypted, since {settings.host} is "
        "not this machine alone: whoever reads along could use them",
        "give --tls-certificate and --tls-key; or --plain-tokens, if a proxy or a mesh before the "
        "server speaks TLS with the clients",
    )


def _is_loopback(host: str) -> bool:
    """Whether a host names this machine alone; an unknown host is refused later, by `bind`."""
    with contextlib.suppress(OSError):
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return all(ipaddress.ip_address(one[4][0]).is_loopback for one in found)
    return True


async def _run(*arguments: object) -> int:
    return await Supervisor(*arguments).run()  # type: ignore[arg-type]


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket that is bound and does not listen.

    Raises:
      ConfigError: the address does not exist, or another process has the port.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {error.strerror}",
            "choose another --port or --host, or end the process that has the port",
        ) from None
    return listener


@contextlib.contextmanager
def _reserve(settings: ServerConfig) -> Iterator[str]:
    """Yields `host:port` for gRPC, or an empty text; the workers bind it while the context lasts.

    Raises:
      ConfigError: as `bind`.
    """
    if settings.grpc_port is None:
        yield ""
        return
    # The workers share the port with this socket, which never listens. Another server could share
    # it, too: so the port has to be free first.
    with bind(settings.host, settings.grpc_port) as probe:
        family, address = probe.family, probe.getsockname()
    with socket.socket(family, socket.SOCK_STREAM) as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(address)
        yield _join(address)


def _describe_address(listener: socket.socket, settings: ServerConfig) -> str:
    scheme = "https" if settings.tls_certificate else "http"
    return f"{scheme}://{_join(listener.getsockname())}"


def _join(address: tuple[Any, ...]) -> str:
    """Returns `host:port` of a socket's address."""
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _check_certificate(settings: ServerConfig) -> None:
    if settings.tls_certificate is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except (OSError, ValueError) as error:
        files = f"{settings.tls_certificate} with {settings.tls_key}"
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"serving.server.tls_certificate: {files} cannot be used: {reason}",
            "correct the files or the keys; the server must be able to read them",
        ) from None
