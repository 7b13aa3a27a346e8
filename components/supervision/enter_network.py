"""Creates or enters a Linux network namespace whose only interface is loopback; a script.

The project starts it by its path, with the standard library alone: a process that enters a user
namespace must not have threads yet, and Python's `os.setns` needs Python 3.12. util-linux has
`unshare` and `nsenter`, but no command that brings loopback up.

    enter_network.py                  creates a network, prints the names of its namespaces in
                                      /proc, and waits until standard input ends
    enter_network.py 5,6 COMMAND...   enters the namespaces of file descriptors 5 and 6
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
"""CLONE_NEWUSER and CLONE_NEWNET in <linux/sched.h>; Python has them since 3.12."""
_SET_FLAGS, _UP = 0x8914, 0x1
"""SIOCSIFFLAGS and IFF_UP in <linux/sockios.h> and <linux/if.h>."""

_libc = ctypes.CDLL(None, use_errno=True)


def create_namespaces() -> list[str]:
    """Moves this process to a new network; returns the names of its new namespaces in /proc.

    A user other than root may create a network only within a user namespace, in which the user and
    the group keep their ids. Root gets no user namespace: there, root could not read the files of
    other users.
    """
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _call(_libc.unshare, _NEW_NET)
    else:
        _call(_libc.unshare, _NEW_USER | _NEW_NET)
        for file, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{file}", "w", encoding="ascii") as mapping:
                mapping.write(text)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
    # The user namespace first: it gives the right to enter the network.
    return ["net"] if user == 0 else ["user", "net"]


def enter_namespaces(descriptors: Sequence[int], command: Sequence[str]) -> NoReturn:
    """Replaces this process by the command, in the namespaces of the file descriptors."""
    for descriptor in descriptors:
        _call(_libc.setns, descriptor, 0)
        os.close(descriptor)
    os.execvp(command[0], list(command))


def _call(function: Callable[..., int], *arguments: int) -> None:
    if function(*arguments):
        code = ctypes.get_errno()
        limit = "the limit user.max_user_namespaces or user.max_net_namespaces is reached"
        raise OSError(code, limit if code == errno.ENOSPC else os.strerror(code))


if __name__ == "__main__":
    if sys.argv[1:]:
        enter_namespaces([int(number) for number in sys.argv[1].split(",")], sys.argv[2:])
    print(*create_namespaces(), flush=True)
    sys.stdin.read()
