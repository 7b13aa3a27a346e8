"""A network for the workers of one attempt, which nobody else reaches.

TensorFlow's gRPC server listens on all addresses of the machine, even for `localhost`, and asks for
no password (https://github.com/tensorflow/tensorflow/issues/11689): whoever reaches its port runs
code with the worker's rights. A Linux network namespace without any interface but loopback keeps
other machines and other users out. Its price: the workers reach nothing outside.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import subprocess
import sys
from collections.abc import Sequence

from components.supervision import enter_network
from components.supervision.cluster import Cluster
from components.supervision.failure_report import FailureReport
from pipeline.config.sections.training import PrivateNetworkChoice
from pipeline.core.errors import ConfigError
from pipeline.core.events import WorkersExposed, emit

_PYTHON = (sys.executable, "-I", "-S", enter_network.__file__)
"""Starts the script without site-packages, which takes 15 ms instead of 50."""
_NO_NETWORK = ("name resolution", "not resolve", "Failed to resolve", "Network is unreachable")
"""Texts of the errors that libraries raise without a network."""


class PrivateNetwork:
    """A network namespace, which lasts as long as it is open or a process is in it."""

    def __init__(self) -> None:
        """Creates the network, and tries to enter it.

        Raises:
          OSError: the kernel or the container does not allow it.
        """
        self._descriptors: list[int] = []
        if sys.platform != "linux":
            raise OSError("only Linux has network namespaces")
        with subprocess.Popen(
            _PYTHON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as creator:
            assert creator.stdout is not None
            assert creator.stderr is not None
            for name in creator.stdout.readline().decode().split():
                self._descriptors.append(os.open(f"/proc/{creator.pid}/ns/{name}", os.O_RDONLY))
            if not self._descriptors:
                raise OSError(_read_last_line(creator.stderr.read()))
        # A container's seccomp profile may allow the one and refuse the other.
        tried = subprocess.run(
            self.wrap(["true"]), capture_output=True, pass_fds=self._descriptors, check=False
        )
        if tried.returncode:
            self.close()
            raise OSError(_read_last_line(tried.stderr))

    @property
    def descriptors(self) -> Sequence[int]:
        """The file descriptors that a child process must inherit."""
        return self._descriptors

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Returns the command that runs `command` in this network."""
        return [*_PYTHON, ",".join(map(str, self._descriptors)), *command]

    def close(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())


def make_network(choice: PrivateNetworkChoice, cluster: Cluster) -> PrivateNetwork | None:
    """Returns a network for the processes of the cluster, or warns that their ports are open.

    Raises:
      ConfigError: the choice is `always`, and the machine does not allow it.
    """
    reason = "training.private_network is never"
    if choice != "never":
        try:
            return PrivateNetwork()
        except OSError as error:
            reason = f"this machine allows no private network: {error}"
    if choice == "always":
        raise ConfigError(
            reason, "docs/training.md says what it needs; training.private_network: auto only warns"
        )
    exposed = WorkersExposed(ports=cluster.ports, reason=reason)
    logging.warning("%s", exposed.sentence)
    emit(exposed)
    return None


def _read_last_line(output: bytes) -> str:
    """Returns the line of a traceback that holds the exception."""
    return output.decode(errors="replace").rstrip().rpartition("\n")[2]


def explain_missing_network(report: FailureReport) -> FailureReport:
    """Returns the report, with a hint if the cause is that the worker reaches nothing outside."""
    if report.hint or not any(words in report.message for words in _NO_NETWORK):
        return report
    hint = (
        "the workers' network has no way out: load what they need before the training, or set "
        "training.private_network to never"
    )
    return dataclasses.replace(report, hint=hint)
