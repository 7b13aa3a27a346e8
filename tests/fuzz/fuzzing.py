"""Looks for bytes that a target neither takes nor refuses in words, and keeps the shortest."""

import hashlib
import random
import signal
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from hypothesis import HealthCheck, Phase, given, seed, settings
from mutations import mutate
from targets import Target, try_target

CORPUS = Path(__file__).with_name("corpus")
_CONFIGS = Path(__file__).parents[2] / "configs"
_BATCH = 200
"""Examples between two looks at the clock."""
_HANG_SECONDS = 30
"""An input of a few kilobytes that takes longer hangs."""


@dataclass
class Fault:
    """Bytes that a target cannot handle."""

    target: str
    content: bytes
    trace: str

    def save(self, corpus: Path) -> Path:
        """Writes the bytes to the corpus, where the tests try them from now on."""
        path = corpus / self.target / f"found-{hashlib.sha256(self.content).hexdigest()[:12]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)
        return path


def list_corpus(name: str, corpus: Path = CORPUS) -> list[Path]:
    """Returns the files from which a target's inputs are made."""
    own = sorted(path for path in (corpus / name).iterdir() if path.is_file())
    return [*own, *sorted(_CONFIGS.rglob("*.yaml"))] if name == "yaml" else own


def fuzz(name: str, target: Target, corpus: Path, seconds: float) -> tuple[int, list[Fault]]:
    """Tries inputs for so many seconds, at least one batch.

    Returns:
      The number of inputs, and the faults: at most one for each batch.
    """
    seeds = [path.read_bytes() for path in list_corpus(name, corpus)]
    deadline = time.monotonic() + seconds
    count, faults, known = 0, [], set()
    while not count or time.monotonic() < deadline:
        tried, fault = _try_batch(name, target, seeds, random.getrandbits(32))
        count += tried
        if fault and fault.trace not in known:
            known.add(fault.trace)
            faults.append(fault)
    return count, faults


def _try_batch(
    name: str, target: Target, seeds: Sequence[bytes], number: int
) -> tuple[int, Fault | None]:
    tried, fault = 0, None

    @seed(number)
    @settings(
        max_examples=_BATCH,
        deadline=None,
        derandomize=False,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(mutate(seeds))
    def check(content: bytes) -> None:
        nonlocal tried, fault
        tried += 1
        try:
            with _Alarm(_HANG_SECONDS):
                try_target(target, content)
        except Exception as error:
            # Hypothesis ends with the shortest input that fails.
            fault = Fault(name, content, _describe(error))
            raise

    try:
        check()
    except Exception:
        assert fault is not None
    return tried, fault


def _describe(error: Exception) -> str:
    """The place of the exception: one fault has one place, whatever the message quotes."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {frame.name} ({Path(frame.filename).name}:{frame.lineno})"


class _Alarm:
    """Raises TimeoutError in a `with` statement that takes too long."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._ring)
        signal.alarm(self._seconds)

    def __exit__(self, *unused: object) -> None:
        signal.alarm(0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took longer than {self._seconds} s")
