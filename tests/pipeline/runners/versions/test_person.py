"""A change of what is served names the person."""

import getpass
import os
import socket

import pytest

from pipeline.runners.versions.person import name_person


def test_a_person_is_named_by_user_and_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ana")
    assert name_person() == f"ana@{socket.gethostname()}"


def test_a_user_without_a_name_is_named_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(getpass, "getuser", fail)
    assert name_person().startswith(f"{os.getuid()}@")
