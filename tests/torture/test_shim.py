import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from shim import Control, build_shim, find_compiler

WRITE = """\
import os
os.mkdir("d")
with open("d/a", "w") as file:
    file.write("hello")
os.rename("d/a", "d/b")
"""


needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_shim(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def control(tmp_path: Path, library: Path) -> Control:
    root = tmp_path / "root"
    root.mkdir()
    return Control(tmp_path / "control", root, library)


@contextlib.contextmanager
def program(control: Control, code: str, at: str = ".") -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=Path(control.environment["TORTURE_ROOT"], at),
        env={**os.environ, **control.environment},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def wait_until_frozen(control: Control) -> None:
    deadline = time.monotonic() + 20
    while not control.frozen:
        assert time.monotonic() < deadline
        time.sleep(0.005)


@needs_compiler
def test_the_run_stops_before_the_chosen_change_and_goes_on(control: Control) -> None:
    root = Path(control.environment["TORTURE_ROOT"])
    control.freeze_before(4)
    with program(control, WRITE) as process:
        wait_until_frozen(control)
        assert control.frozen == process.pid
        assert control.place == "rename to d/b"
        assert [path.name for path in (root / "d").iterdir()] == ["a"]
        control.release()
        assert process.wait(20) == 0
    assert [path.name for path in (root / "d").iterdir()] == ["b"]
    assert control.changes == 4, "make, open, write, rename"


@needs_compiler
def test_a_stopped_process_can_be_killed_before_its_change(control: Control) -> None:
    root = Path(control.environment["TORTURE_ROOT"])
    control.freeze_before(2)
    with program(control, WRITE) as process:
        wait_until_frozen(control)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(20) == -signal.SIGKILL
    assert list((root / "d").iterdir()) == []


@needs_compiler
def test_removed_trees_count_and_files_elsewhere_do_not(control: Control, tmp_path: Path) -> None:
    code = "import os, shutil; os.makedirs('x/y'); open('x/y/z', 'w').close(); shutil.rmtree('x')"
    with program(control, code, at=str(tmp_path)) as process:
        assert process.wait(20) == 0
    assert control.changes == 0
    code = WRITE + 'import shutil; shutil.rmtree("d")'
    with program(control, code) as process:
        assert process.wait(20) == 0
    assert control.changes == 6, "the file and the directory"


@needs_compiler
def test_a_slow_disk_delays_each_change(control: Control) -> None:
    control.slow_down(200_000)
    started = time.monotonic()
    with program(control, WRITE) as process:
        assert process.wait(20) == 0
    assert time.monotonic() - started > 4 * 0.2


@needs_compiler
def test_the_clock_jumps_and_waits_take_as_long_as_before(control: Control) -> None:
    control.set_clock(-86400)
    code = (
        "import datetime, threading, time\n"
        "before = time.monotonic()\n"
        "threading.Event().wait(0.3)\n"
        "print(time.time(), datetime.datetime.now().timestamp(), time.monotonic() - before)"
    )
    with program(control, code) as process:
        output, _ = process.communicate(timeout=20)
    told, local, waited = map(float, output.split())
    assert told == pytest.approx(time.time() - 86400, abs=20)
    assert local == pytest.approx(told, abs=5)
    assert 0.25 < waited < 5


@needs_compiler
def test_a_lock_that_asks_the_kernel_waits_as_long_as_before(control: Control) -> None:
    """TensorFlow's locks call the kernel with a deadline of the clock that jumped."""
    control.set_clock(3600)
    code = (
        "import ctypes, platform, time\n"
        "futex = {'x86_64': 202, 'aarch64': 98}[platform.machine()]\n"
        "word, wait_until = ctypes.c_int(0), 9 | 256\n"
        "deadline = (ctypes.c_long * 2)(int(time.time()) + 2, 0)\n"
        "before = time.monotonic()\n"
        "ctypes.CDLL(None).syscall(futex, ctypes.byref(word), wait_until, 0, deadline, None, -1)\n"
        "print(time.monotonic() - before)"
    )
    with program(control, code) as process:
        output, _ = process.communicate(timeout=30)
    assert 0.5 < float(output) < 20


def test_a_machine_without_a_compiler_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="apt-get install gcc"):
        build_shim(tmp_path)
