"""Shows what `gc` would remove, and what it removed."""

from __future__ import annotations

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from pipeline.core.text import counted, printable
from pipeline.runners.history.garbage.plan import NEWEST, Plan
from pipeline.runners.workspace.deletion import measure


def print_plan(plan: Plan, console: Console) -> None:
    """Prints a table of the runs that go, with their artifacts and bytes, and why others stay."""
    if plan.old:
        table = Table("run", box=None, pad_edge=False)
        for title in ("artifacts", "backups", "on disk"):
            table.add_column(title, justify="right")
        sizes = [old.measure() for old in plan.old]
        for old, size in zip(plan.old, sizes, strict=True):
            numbers = (str(len(old.artifacts)), str(len(old.backups)), decimal(size))
            table.add_row(Text(printable(old.run.name)), *numbers)
        artifacts = sum(len(old.artifacts) for old in plan.old)
        backups = sum(len(old.backups) for old in plan.old)
        total = f"{counted(len(plan.old), 'run')} in all"
        table.add_row(total, str(artifacts), str(backups), decimal(sum(sizes)), style="bold")
        console.print(table)
    print_kept(plan, console)


def print_kept(plan: Plan, console: Console) -> None:
    """Prints how many runs stay and why, and what `gc` does not know."""
    newest = sum(reason == NEWEST for reason in plan.kept.values())
    console.print(f"The newest {counted(newest, 'run')} stay{'' if newest > 1 else 's'}.")
    for name, reason in plan.kept.items():
        if reason != NEWEST:
            console.print(Text(printable(f"{name} stays: it {reason}.")), soft_wrap=True)
    for path in plan.unknown:
        size = decimal(measure(path))
        words = f"{path} ({size}) stays: its metadata file was moved away or replaced."
        console.print(Text(printable(words)), soft_wrap=True)
