"""Tokens in a file that changes while the server runs."""

import os
import time
from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from serving import bearer_tokens
from serving.bearer_tokens import BearerTokens

OLD, NEW = "old-" + "t" * 20, "new-" + "t" * 20


def header(token: str) -> bytes:
    return f"Bearer {token}".encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(OLD + "\n")
    return path


@pytest.fixture(autouse=True)
def _look_at_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bearer_tokens, "_LOOK_SECONDS", 0.0)


def replace(file: Path, content: str) -> None:
    staged = file.with_name("staged")
    staged.write_text(content)
    # Two writes may come within one tick of the file system's clock.
    os.utime(staged, (time.time(), time.time() + 10))
    staged.replace(file)


def test_only_the_whole_token_behind_bearer_is_right(file: Path) -> None:
    tokens = BearerTokens(str(file))
    assert tokens.accept(header(OLD))
    for wrong in (b"", OLD.encode(), header(OLD[:-1]), header(OLD + "x"), header(""), b"\xff"):
        assert not tokens.accept(wrong), wrong


def test_two_tokens_are_right_until_the_old_line_is_removed(file: Path) -> None:
    tokens = BearerTokens(str(file))
    assert not tokens.accept(header(NEW))
    replace(file, f"{OLD}\n{NEW}\n")
    assert tokens.accept(header(NEW))
    assert tokens.accept(header(OLD))
    replace(file, NEW)
    assert tokens.accept(header(NEW))
    assert not tokens.accept(header(OLD))


def test_a_wrong_or_missing_file_changes_no_token(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = BearerTokens(str(file))
    replace(file, "short")
    assert tokens.accept(header(OLD))
    assert not tokens.accept(header("short"))
    file.unlink()
    assert tokens.accept(header(OLD))
    assert "The tokens stay as they are: " in caplog.text
    assert OLD not in caplog.text
    assert "short" not in caplog.text


def test_a_file_with_one_line_that_is_no_token_is_refused(file: Path) -> None:
    file.write_text(f"{OLD}\nno token at all\n")
    with pytest.raises(ConfigError, match="a line that is no token"):
        BearerTokens(str(file))
