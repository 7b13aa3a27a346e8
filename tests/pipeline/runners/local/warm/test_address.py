"""One warm process of a checkout and a user waits, in a directory that nobody else can enter."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pipeline.runners.local.warm.address import (
    Address,
    UnfitPlaceError,
    check_address,
    find_place,
    make_socket,
)


def test_a_later_process_takes_the_place_over(caches: Path) -> None:
    place = find_place()
    first = Address(place)
    assert first.is_ours()
    second = Address(place)
    assert (first.is_ours(), second.is_ours()) == (False, True)
    with make_socket() as command:
        command.connect(str(place))
        second.listener.accept()[0].close()
    first.close()
    assert second.is_ours()
    second.close()
    assert not second.is_ours()
    assert list(place.parent.iterdir()) == []


def test_only_this_user_can_enter_the_directory(caches: Path) -> None:
    directory = find_place().parent
    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o750)
    with pytest.raises(UnfitPlaceError, match="other users have access"):
        find_place()


def test_a_place_that_cannot_be_made_is_told(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches / ("long" * 20)))
    with pytest.raises(UnfitPlaceError, match="the path is too long for a socket"):
        find_place()
    (caches / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches / "file"))
    with pytest.raises(UnfitPlaceError, match="Not a directory"):
        find_place()


def test_a_socket_that_cannot_be_made_leaves_nothing(caches: Path) -> None:
    place = find_place()
    check_address(place)
    assert list(place.parent.iterdir()) == []
    place.mkdir()
    with pytest.raises(UnfitPlaceError, match="is no socket"):
        check_address(place)
    with pytest.raises(UnfitPlaceError, match=f"{place}: Is a directory"):
        Address(place)
    assert list(place.parent.iterdir()) == [place]
    gone = caches / "gone/place"
    for make in (check_address, Address):
        with pytest.raises(UnfitPlaceError, match="No such file or directory"):
            make(gone)


def test_a_read_only_disk_is_told(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(UnfitPlaceError, match="No such file or directory"):
        check_address(caches / "gone/place")
