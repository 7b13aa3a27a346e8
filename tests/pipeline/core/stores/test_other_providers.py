"""Google's and Azure's protocols, against their emulators where these are installed.

go install github.com/fsouza/fake-gcs-server@v1.52.2; npm install --global azurite@3
"""

import base64
import email.utils
import hashlib
import hmac
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from pipeline.core.errors import ConfigError, DataError
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.client import forget_stores, open_store
from pipeline.core.stores.listing import find_object, find_objects
from pipeline.core.stores.reading import ObjectReader

CONTENT = os.urandom(400_000)
# Azurite's own account, which its documentation publishes.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

Put = Callable[[str, bytes], object]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def serving(port: int, *command: str) -> Iterator[None]:
    """Runs a server until the test ends."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def send(url: str, method: str, content: bytes, headers: dict[str, str]) -> None:
    request = urllib.request.Request(url, content or None, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Put]]:
    port = free_port()
    place = f"127.0.0.1:{port}"
    arguments = ("-scheme", "http", "-host", "127.0.0.1", "-port", str(port))
    with serving(port, "fake-gcs-server", *arguments, "-backend", "memory", "-public-host", place):
        as_json = {"Content-Type": "application/json"}
        send(f"http://{place}/storage/v1/b", "POST", b'{"name": "box"}', as_json)
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", place)
        forget_stores()

        def put(key: str, content: bytes) -> None:
            # Not by obstore: the emulator knows Google's older protocol for reading alone.
            name = urllib.parse.quote(key, safe="")
            url = f"http://{place}/upload/storage/v1/b/box/o?uploadType=media&name={name}"
            send(url, "POST", content, {})

        yield "gs://box", put
    forget_stores()


@pytest.fixture
def azure(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Put]]:
    port = free_port()
    with serving(
        port, "azurite-blob", "--inMemoryPersistence", "--silent", "--skipApiVersionCheck",
        "--disableTelemetry", "--blobPort", str(port),
    ):  # fmt: skip
        endpoint = f"http://127.0.0.1:{port}"
        _make_container(f"{endpoint}/devstoreaccount1/box?restype=container")
        monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
        monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", endpoint)
        forget_stores()
        store = open_store(parse_address("az://box"))
        yield "az://box", store.put
    forget_stores()


def _make_container(url: str) -> None:
    headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    signed = "PUT" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in headers.items())
    signed += "/devstoreaccount1/devstoreaccount1/box\nrestype:container"
    digest = hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()
    signature = f"SharedKey devstoreaccount1:{base64.b64encode(digest).decode()}"
    send(url, "PUT", b"", {**headers, "Authorization": signature})


@pytest.mark.parametrize("provider", ["google", "azure"])
def test_a_table_is_found_read_and_watched(provider: str, request: pytest.FixtureRequest) -> None:
    root, put = request.getfixturevalue(provider)
    for key in ("t/a.csv", "t/b.csv", "t/x/c.csv"):
        put(key, CONTENT)
    first, second = find_objects(f"{root}/t/*.csv")
    assert (str(first), first.size) == (f"{root}/t/a.csv", 400_000)
    assert first == find_object(first.address)
    assert len(find_objects(f"{root}/t/**/*.csv")) == 3
    assert find_objects(f"{root}/t/none.csv") == []
    with ObjectReader(second) as file:
        assert file.read() == CONTENT
    put("t/a.csv", CONTENT[::-1])
    assert find_object(first.address).e_tag != first.e_tag
    with ObjectReader(first) as file, pytest.raises(DataError, match="changed while it was read"):
        file.read(10)


def test_a_missing_container_is_named(azure: tuple[str, Put]) -> None:
    with pytest.raises(ConfigError, match="there is no container 'nobody-has-it'"):
        find_objects("az://nobody-has-it/t/*.csv")
