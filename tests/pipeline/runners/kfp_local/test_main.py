"""`python -m pipeline.runners.kfp_local` with good and damaged files, and when it is killed."""

import copy
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from small_pipeline import MAKE_TASK, READ_TASK, component, make, read, spec

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.__main__ import main
from pipeline.runners.kfp_local.spec import read_pipeline

COMPONENTS = {"make": make(), "read": read()}
TASKS = {"read": READ_TASK, "make": MAKE_TASK}


def is_at_work(pid: int) -> bool:
    """Not a process that only waits for its parent to look at it."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except FileNotFoundError:
        return False


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def write(file: Path, components: dict[str, Any], tasks: dict[str, Any]) -> Path:
    file.write_text(json.dumps(spec(components, tasks)))
    return file


def command(file: Path, *options: object) -> list[str]:
    directory = file.parent / "runs"
    return [str(file), "--directory", str(directory), *map(str, options)]


def test_a_task_does_not_outlive_a_killed_executor(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    slow = f"""
import subprocess
child = subprocess.Popen(["sleep", "60"])
pathlib.Path({str(pids)!r}).write_text(f"{{os.getpid()}} {{child.pid}}\\n")
child.wait()
"""
    file = write(tmp_path / "pipeline.yaml", {"slow": component(slow)}, {"slow": {}})
    executor = [sys.executable, "-m", "pipeline.runners.kfp_local", *command(file)]
    process = subprocess.Popen(executor, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: pids.exists() and pids.read_text().endswith("\n"))
        task, child = map(int, pids.read_text().split())
        assert is_at_work(task)
        assert is_at_work(child)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for(lambda: not is_at_work(task) and not is_at_work(child))


def call(file: Path, *options: object) -> Result:
    return CliRunner().invoke(main, command(file, *options))


def test_several_values_of_a_parameter_are_its_lines(tmp_path: Path) -> None:
    show = component("print(inputs['parameterValues']['rows'])")
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    file = write(tmp_path / "pipeline.yaml", {"show": show}, tasks)
    done = call(file, "--parameter", "rows=a=1", "--parameter", "rows=b")
    assert done.exit_code == 0, done.output
    [log] = tmp_path.glob("runs/logs/*/show.log")
    assert log.read_text() == "a=1\nb\n"


def without_or_other(document: Any) -> Iterator[Any]:
    """The document with one part missing, or another in its place."""

    def places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield (*path, key)
            if isinstance(part, (dict, list)):
                yield from places(part, (*path, key))

    for *path, key in places(document, ()):
        for other in (None, 7, "x", [], {"x": 7}):
            changed = copy.deepcopy(document)
            parent = changed
            for step in path:
                parent = parent[step]
            if other is None:
                del parent[key]
            else:
                parent[key] = other
            yield changed


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "pipeline.yaml"
    retried = {**MAKE_TASK, "retryPolicy": {"maxRetryCount": 1, "backoffDuration": "1s"}}
    refused = 0
    for document in without_or_other(spec(COMPONENTS, {**TASKS, "make": retried})):
        file.write_text(json.dumps(document))
        try:
            read_pipeline(file)
        except ConfigError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000, b"a: [", b"[]", b"7", None])
def test_what_is_no_pipeline_ends_with_2(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "pipeline.yaml"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    done = call(file)
    assert done.exit_code == 2, done.exception
    assert done.stderr.startswith(f"Error: {file}: ")


def spoil_header(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


def spoil_page(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"x" * (len(content) - 4096))


def spoil_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [spoil_header, spoil_page, spoil_by_directory])
def test_a_damaged_state_ends_with_2(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    file = write(tmp_path / "pipeline.yaml", COMPONENTS, TASKS)
    assert call(file).exit_code == 0
    spoil(tmp_path / "runs/state.db")
    done = call(file)
    assert done.exit_code == 2, done.exception
    assert "state.db cannot be used" in done.stderr
    assert "remove it" in done.stderr


def test_what_cannot_be_written_is_told_before_any_task(tmp_path: Path) -> None:
    ran = component(f"pathlib.Path({str(tmp_path / 'ran')!r}).touch()")
    file = write(tmp_path / "pipeline.yaml", {"ran": ran}, {"ran": {}})
    (tmp_path / "folder").mkdir()
    for options, told in (
        (["--directory", file], "--directory"),
        (["--directory", file / "below"], "--directory"),
        (["--json", tmp_path / "folder"], "is a directory"),
        (["--json", tmp_path / "gone/outcome.json"], "--json"),
        (["--json", file / "outcome.json"], "--json"),
    ):
        done = call(file, *options)
        assert done.exit_code == 2, (options, done.exception)
        assert told in done.stderr
    assert not (tmp_path / "ran").exists()
