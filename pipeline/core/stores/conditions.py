"""Finds out whether a store honors the conditions of puts."""

from __future__ import annotations

import contextlib

from pipeline.core.stores.remote import LostRaceError, Remote


def honors_conditions(remote: Remote, key: str) -> bool:
    """Whether the store refuses a put whose condition does not hold; puts and removes an object.

    Args:
      key: of an object that nobody else has, in a bucket that exists.

    Raises:
      ConfigError: the object cannot be put or removed.
    """
    first = _put(remote, key, b"1", {})
    try:
        second = _put(remote, key, b"2", first)
        wrong: tuple[dict[str, str], ...] = ({}, first)
        return second != first and not any(_is_accepted(remote, key, one) for one in wrong)
    finally:
        remote.remove([key])


def _put(remote: Remote, key: str, content: bytes, condition: dict[str, str]) -> dict[str, str]:
    """Replaces an object under a condition that holds."""
    try:
        return remote.put_if(key, content, condition)
    except LostRaceError:
        # The first answer was lost, and the repeated put was refused.
        return remote.read_condition(key)


def _is_accepted(remote: Remote, key: str, condition: dict[str, str]) -> bool:
    """Whether the store accepts a put whose condition does not hold."""
    with contextlib.suppress(LostRaceError):
        remote.put_if(key, b"3", condition)
        return True
    return False
