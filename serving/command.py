"""What the command `serve` does: it checks the model and the files, binds the port and serves."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.config.sections.serving import ServerConfig
from pipeline.core.errors import ConfigError
from serving.processes.sources import open_source
from serving.processes.supervisor import Supervisor

_SHORTEST_TOKEN = 16
"""Characters: a shorter token could be guessed."""


@dataclass(frozen=True)
class Announcement:
    """What the user is told when the server answers."""

    name: str
    version: str
    address: str
    workers: int


def serve(
    name: str, directory: Path, settings: ServerConfig, announce: Callable[[Announcement], None]
) -> int:
    """Serves the model in a directory until SIGTERM or Ctrl-C; returns the exit code.

    Args:
      name: the model's name in the paths of requests.
      directory: a serving directory, or the directory of a SavedModel.
      announce: called when the server answers, and at each switch to another version.

    Raises:
      ConfigError: there is no model, a file is wrong, or the port cannot be bound.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    source = open_source(directory)
    _check_token(settings.token_file)
    _check_certificate(settings)
    with bind(settings.host, settings.port) as listener:
        address = _describe_address(listener, settings)

        def tell(version: str) -> None:
            announce(Announcement(name, version, address, settings.workers))

        return asyncio.run(_run(name, source, settings, listener, tell))


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


def _describe_address(listener: socket.socket, settings: ServerConfig) -> str:
    host, port = listener.getsockname()[:2]
    scheme = "https" if settings.tls_certificate else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _check_token(path: str | None) -> None:
    if path is None:
        return
    try:
        token = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong_file("token_file", path, error) from None
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or len(token.split()) != 1:
        raise ConfigError(
            f"serving.server.token_file: {path} holds no token of at least {_SHORTEST_TOKEN} "
            "ASCII characters without spaces",
            f"make one: openssl rand -hex 32 > {path}",
        )


def _check_certificate(settings: ServerConfig) -> None:
    if settings.tls_certificate is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except (OSError, ValueError) as error:
        path = f"{settings.tls_certificate} with {settings.tls_key}"
        raise _wrong_file("tls_certificate", path, error) from None


def _wrong_file(key: str, path: str, error: Exception) -> ConfigError:
    reason = getattr(error, "strerror", None) or str(error)
    return ConfigError(
        f"serving.server.{key}: {path} cannot be used: {reason}",
        "correct the file or the key; the server must be able to read it",
    )
