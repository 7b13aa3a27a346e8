"""Writes the page of a run beside its logs, and the copy of the newest one."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.commands import pipeline_command
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError, as_pipeline_error
from pipeline.core.files import write_bytes_atomically
from pipeline.core.text import printable
from pipeline.runners.workspace.places import Workspace


@contextlib.contextmanager
def page_prepared_meanwhile() -> Iterator[None]:
    """Prepares the page of a run in a thread, while the caller waits for the run.

    The imports take longer than the page itself.
    """
    thread = threading.Thread(target=_prepare_page, daemon=True)
    thread.start()
    try:
        yield
    finally:
        # Python must not end while the thread is in native code. The run takes longer anyway.
        thread.join()


def _prepare_page() -> None:
    # Whoever writes the page meets the same error, and tells it.
    with contextlib.suppress(Exception):
        from pipeline.report.page import prepare_rendering
        from pipeline.runners.reporting import gather  # noqa: F401

        prepare_rendering()


def try_to_write_page(workspace: Workspace, name: str) -> bool:
    """Writes the page of a run that has ended, and returns whether that succeeded.

    A failure costs one line on standard error: the outcome of the run stays what it is.
    """
    try:
        write_page(workspace, name)
        return True
    except (Exception, KeyboardInterrupt) as error:
        cause = "interrupted" if isinstance(error, KeyboardInterrupt) else as_pipeline_error(error)
        command = pipeline_command("report", name, "--output", os.path.relpath(workspace.root))
        message = printable(f"Warning: no page of this run: {cause}; {command} tries again")
        print(message, file=sys.stderr)
        return False


def write_page(workspace: Workspace, name: str) -> Path:
    """Writes the page of a run and its content, and returns the path of the page.

    The page of the newest run is also copied to the output directory. A run that still goes on has
    a page, too.

    Raises:
      ConfigError: `gc` removed the run meanwhile.
      OSError: a file cannot be written.
      The same as `gather_report`.
    """
    # Imported here: a run shows its table before all that a page needs is imported.
    from pipeline.report.files import write_report
    from pipeline.runners.reporting.gather import gather_report

    directory = workspace.logs / name
    page = directory / RunFile.REPORT
    is_newest = workspace.run_directories()[-1:] == [directory]
    try:
        report = gather_report(workspace, name, is_at_work=is_newest and workspace.is_locked())
        write_report(report, page, directory / RunFile.REPORT_CONTENT)
        if is_newest:
            # The copy lies elsewhere, so its links to the pages of other runs differ.
            copy = page.read_bytes().replace(b'href="../', b'href="logs/')
            write_bytes_atomically(workspace.report, copy, durable=False)
    except FileNotFoundError:
        if directory.is_dir():
            raise
        raise ConfigError(
            f"{workspace.name}: run {name} was removed meanwhile, so it has no page any more",
            "`runs` lists the runs that are left",
        ) from None
    return page
