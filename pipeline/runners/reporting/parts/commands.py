"""The commands that a page tells its reader to run, complete and quoted for a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from pipeline.core.commands import pipeline_command, tool_path
from pipeline.core.contracts import RunFile
from pipeline.runners.reporting.reading.run_files import RunFiles


def run_again(run: RunFiles, root: Path, *more: str) -> str:
    """Returns the command that started the run, and arguments that are added to it."""
    arguments = run.record.arguments if run.record else _guess_arguments(run, root)
    return pipeline_command(*arguments, *more)


def repeat_run(run: RunFiles, root: Path) -> str:
    """Returns the command that repeats the run with its recorded configuration.

    The user's own file may have changed since.
    """
    if not run.record or not run.configuration:
        return run_again(run, root)
    verb, configuration = run.record.arguments[0], run.directory / RunFile.CONFIGURATION
    command = pipeline_command(verb, "--config", configuration, "--output", root)
    return f"cd {shlex.quote(run.record.directory)} && {command}"


def train_after_search(run: RunFiles, root: Path) -> str:
    """Returns the command that trains with the result of a search."""
    arguments = run.record.arguments if run.record else _guess_arguments(run, root)
    return pipeline_command("run", *arguments[1:])


def report_again(run: RunFiles, root: Path) -> str:
    """Returns the command that writes the page of the run anew."""
    return pipeline_command("report", run.directory.name, "--output", _place(run, root))


def compare_runs(run: RunFiles, root: Path, other: str, this: str) -> str:
    """Returns the command that compares two runs or served versions."""
    return pipeline_command("report", "--compare", other, this, "--output", _place(run, root))


def roll_back(run: RunFiles, root: Path, version: str) -> str:
    """Returns the command that serves an older version again."""
    return pipeline_command("rollback", version, "--output", _place(run, root))


def promote(run: RunFiles, root: Path, number: str) -> str:
    """Returns the command that serves a candidate or a withdrawn version."""
    return pipeline_command("promote", number, "--output", _place(run, root))


def list_versions(run: RunFiles, root: Path) -> str:
    """Returns the command that lists what is served and what was."""
    return pipeline_command("versions", "--output", _place(run, root))


def inspect_model(run: RunFiles, version: Path) -> str:
    """Returns the command that prints the inputs and outputs of a served version."""
    tool, directory = tool_path("saved_model_cli"), _place(run, version)
    options = "--tag_set serve --signature_def serving_default"
    return f"{shlex.quote(tool)} show {options} --dir {shlex.quote(directory)}"


def read_log(run: RunFiles) -> str:
    """Returns the command that shows the end of the run's log."""
    return shlex.join(["tail", "-n", "100", _place(run, Path(run.summary.log))])


def _guess_arguments(run: RunFiles, root: Path) -> list[str]:
    """Returns the arguments of a run of an earlier version, which recorded none."""
    return ["run", "--config", f"{run.summary.name}.yaml", "--output", str(root)]


def _place(run: RunFiles, path: Path) -> str:
    """Returns the path, relative to the run's working directory if it lies below."""
    directory = run.record.directory if run.record else ""
    is_below = directory and path.is_relative_to(directory)
    return str(path.relative_to(directory) if is_below else path)
