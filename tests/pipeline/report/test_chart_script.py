"""The script of the charts, and its copy among the user's caches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.report import chart_script as module
from pipeline.report.chart_script import chart_script, make_script


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chart_script.cache_clear()
    yield tmp_path
    chart_script.cache_clear()


@pytest.fixture(scope="module")
def made() -> str:
    return make_script()


def ask_anew(monkeypatch: pytest.MonkeyPatch, made: str) -> int:
    """Asks as a new process does, and returns how often the script was made."""
    calls: list[str] = []

    def count() -> str:
        calls.append("made")
        return made

    monkeypatch.setattr(module, "make_script", count)
    chart_script.cache_clear()
    assert chart_script() == made
    return len(calls)


def test_the_installed_package_makes_the_script_that_the_digest_expects(made: str) -> None:
    """A newer package needs its digest here, else each process makes the script anew."""
    expected = module._DIGESTS[module.version(module._PACKAGE)]
    assert hashlib.sha256(made.encode()).hexdigest() == expected


def test_the_script_is_made_once_and_then_read(
    caches: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    assert [ask_anew(monkeypatch, made) for _ in range(3)] == [1, 0, 0]
    [copy] = [path for path in caches.rglob("*") if path.is_file()]
    assert copy.read_text(encoding="utf-8") == made


def test_a_changed_copy_is_never_used_but_replaced(
    caches: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    ask_anew(monkeypatch, made)
    [copy] = [path for path in caches.rglob("*") if path.is_file()]
    for content in (b"alert(1);" + made.encode(), made.encode()[:-1], b"", b"\xff"):
        copy.write_bytes(content)
        assert [ask_anew(monkeypatch, made) for _ in range(2)] == [1, 0]


def test_without_a_directory_for_caches_the_script_is_made_each_time(
    caches: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    (caches / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches / "file"))
    assert [ask_anew(monkeypatch, made) for _ in range(2)] == [1, 1]


def test_an_unknown_version_keeps_no_copy(
    caches: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    monkeypatch.setattr(module, "_DIGESTS", {})
    assert [ask_anew(monkeypatch, made) for _ in range(2)] == [1, 1]
    assert not list(caches.iterdir())
