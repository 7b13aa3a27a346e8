"""Carries packets between two network devices as a link of a given speed and delay does.

`python -m benchmarks.scaling.relay NAME NAME BYTES_PER_SECOND SECONDS` creates two TUN devices,
prints a line when they are there, and carries packets until its standard input closes. The kernel's
own netem would do the same, but not every kernel has it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_LONGEST_PACKET = 65_536


class Direction:
    """The packets that are on their way in one direction."""

    def __init__(self, bytes_per_second: float, delay: float) -> None:
        self._bytes_per_second = bytes_per_second
        self._delay = delay
        self._free = 0.0
        self._packets: deque[tuple[float, bytes]] = deque()

    def send(self, packet: bytes, now: float) -> None:
        """Takes a packet, which leaves after the packets before it."""
        self._free = max(self._free, now) + len(packet) / self._bytes_per_second
        self._packets.append((self._free + self._delay, packet))

    @property
    def next_arrival(self) -> float | None:
        """The time at which the next packet arrives; None if there is no packet."""
        return self._packets[0][0] if self._packets else None

    def take_arrived(self, now: float) -> bytes | None:
        """Returns the next packet if it has arrived."""
        arrival = self.next_arrival
        return self._packets.popleft()[1] if arrival is not None and arrival <= now else None


def carry(devices: tuple[int, int], bytes_per_second: float, delay: float) -> None:
    """Carries packets between two devices, given as file descriptors, until the input closes."""
    directions = [Direction(bytes_per_second, delay) for _ in devices]
    while True:
        arrivals = [d.next_arrival for d in directions if d.next_arrival is not None]
        timeout = max(min(arrivals) - time.monotonic(), 0.0) if arrivals else None
        # Not poll: it counts milliseconds, and the delay is about one.
        readable, _, _ = select.select([*devices, sys.stdin], [], [], timeout)
        if sys.stdin in readable:
            return
        for device, direction in zip(devices, directions, strict=True):
            if device in readable:
                direction.send(os.read(device, _LONGEST_PACKET), time.monotonic())
        for target, direction in zip(reversed(devices), directions, strict=True):
            while (packet := direction.take_arrived(time.monotonic())) is not None:
                # A device that is going down takes no packets.
                with contextlib.suppress(OSError):
                    os.write(target, packet)


def open_device(name: str) -> int:
    """Creates a TUN device, which lasts as long as the descriptor is open."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    request = struct.pack("16sH14x", name.encode(), _IFF_TUN | _IFF_NO_PI)
    fcntl.ioctl(device, _TUNSETIFF, request)
    return device


def main() -> None:
    """Runs the relay."""
    first, second, bytes_per_second, delay = sys.argv[1:]
    devices = open_device(first), open_device(second)
    # Before the workers, which take all of their cores: a real link does not wait for them.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    print("ready", flush=True)
    carry(devices, float(bytes_per_second), float(delay))


if __name__ == "__main__":
    main()
