"""A run that is stopped before a change of a file, and what happens to it there."""

import contextlib
import os
import shutil
import signal
import subprocess
import time

from accidents import Chain, fill_disk
from outcome import Round
from run_processes import find_processes, find_target, kill_all, wait_until_gone
from shim import Control
from workspace import start_run

RUN_SECONDS = 900
"""A run that takes longer hangs: on an idle machine, a run without accident takes about 30 s."""
_LEAVE_SECONDS = 60
"""The longest that processes may outlive the command: two graces of 20 s each, and a margin."""
_POLL_SECONDS = 0.002


class StruckRun:
    """The run of a round. `cause_accident` fills in the round's place, victim, code and faults."""

    def __init__(self, chain: Chain, control: Control, change: int, result: Round) -> None:
        self._chain = chain
        self._control = control
        self._result = result
        self._plan = result.plan
        control.slow_down(self._plan.delay_us)
        if self._plan.kind != "slow disk":
            control.freeze_before(change)
        self._process = start_run(chain, self._plan.variant, control.environment)

    def cause_accident(self) -> None:
        """Waits for the moment, causes the accident, and waits until all processes have ended."""
        try:
            self._wait_for_the_moment()
            if self._control.frozen:
                self._result.place = self._control.place
                self._strike()
            self._result.code = self._process.wait(RUN_SECONDS)
        except subprocess.TimeoutExpired:
            self._result.faults.append(f"the run did not end within {RUN_SECONDS} s")
        finally:
            self._control.release()
            self._end_what_is_left()

    def _wait_for_the_moment(self) -> None:
        deadline = time.monotonic() + RUN_SECONDS
        while self._is_running() and not self._control.frozen and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _strike(self) -> None:
        if self._plan.kind == "power cut":
            self._result.struck = f"{kill_all(self._control.path)} processes"
        elif self._plan.kind == "full disk":
            self._fill_disk()
        elif self._plan.kind == "clock":
            self._control.set_clock(self._plan.amount)
        else:
            self._send_signal()
        self._control.release()

    def _fill_disk(self) -> None:
        fill_disk(self._chain.output)
        ballast = self._chain.output / "ballast"
        os.truncate(ballast, max(0, ballast.stat().st_size - self._plan.amount))

    def _send_signal(self) -> None:
        victim = self._find_victim()
        if victim is None:
            return
        self._result.struck = find_processes(self._control.path).get(victim, "")
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.Signals[self._plan.signal])
            if self._plan.signal == "SIGSTOP":
                if victim != self._control.frozen:
                    self._control.release()
                time.sleep(self._plan.amount)
                os.kill(victim, signal.SIGCONT)

    def _find_victim(self) -> int | None:
        """Returns the process to strike; workers start some time after their component."""
        place = self._control.path, self._plan.target, self._process.pid
        victim = find_target(*place, self._control.frozen)
        if victim is None:
            self._control.release()
        while victim is None and self._is_running():
            time.sleep(_POLL_SECONDS)
            victim = find_target(*place, frozen=0)
        return victim

    def _is_running(self) -> bool:
        return self._process.poll() is None

    def _end_what_is_left(self) -> None:
        faults, temporary = self._result.faults, self._chain.temporary
        if self._is_running():
            self._process.kill()
            self._process.wait()
        if left := wait_until_gone(self._control.path, _LEAVE_SECONDS):
            faults.append(f"still running: {', '.join(sorted(left.values()))}")
            kill_all(self._control.path)
        names = sorted(path.name for path in temporary.iterdir())
        # After a power cut, the machine empties /tmp.
        if names and self._plan.kind != "power cut":
            faults.append(f"temporary files are left: {', '.join(names)}")
        shutil.rmtree(temporary)
        temporary.mkdir()
