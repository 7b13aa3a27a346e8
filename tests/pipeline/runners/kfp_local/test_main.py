"""`python -m pipeline.runners.kfp_local` with good and damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pipeline import MAKE_TASK, component, make, run_command, write_pipeline


def test_several_values_of_a_parameter_become_its_lines(tmp_path: Path) -> None:
    show = component("print(inputs['parameterValues']['rows'])")
    show["inputDefinitions"] = make()["inputDefinitions"]
    tasks = {"show": {"inputs": MAKE_TASK["inputs"]}}
    file = write_pipeline(tmp_path / "pipeline.yaml", {"show": show}, tasks)
    done = run_command(file, "--parameter", "rows=a=1", "--parameter", "rows=b")
    assert done.exit_code == 0, done.output
    [log] = tmp_path.glob("runs/logs/*/show.log")
    assert log.read_text() == "a=1\nb\n"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000, b"a: [", b"[]", b"7", None])
def test_a_file_that_is_no_pipeline_exits_with_2(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "pipeline.yaml"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    done = run_command(file)
    assert done.exit_code == 2, done.exception
    assert done.stderr.startswith(f"Error: {file}: ")


def test_an_unwritable_path_is_refused_before_any_task(tmp_path: Path) -> None:
    ran = component(f"pathlib.Path({str(tmp_path / 'ran')!r}).touch()")
    file = write_pipeline(tmp_path / "pipeline.yaml", {"ran": ran}, {"ran": {}})
    (tmp_path / "folder").mkdir()
    for options, message in (
        (["--directory", file], "--directory"),
        (["--directory", file / "below"], "--directory"),
        (["--json", tmp_path / "folder"], "is a directory"),
        (["--json", tmp_path / "gone/outcome.json"], "--json"),
        (["--json", file / "outcome.json"], "--json"),
    ):
        done = run_command(file, *options)
        assert done.exit_code == 2, (options, done.exception)
        assert message in done.stderr
    assert not (tmp_path / "ran").exists()
