"""Makes the curated schema for `schema`, from the cache of the last run or from the data."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from components.schema_curator.schema_text import parse_schema, render_schema
from pipeline.config import Config, SchemaConfig
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.files import write_text_atomically
from pipeline.runners.local.run import run_local
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display


def make_curated_schema(config: Config, workspace: Workspace) -> str:
    """Returns the schema of the next run's data gate, as a Schema proto in text format.

    Raises:
      PipelineError: a component failed, such as the reader of the data; with its own message.
    """
    path = config.schema_.path
    if path is not None and not Path(path).exists():
        # The user runs `schema --write` to make this file.
        fields = config.schema_.model_dump() | {"path": None}
        config = config.model_copy(update={"schema_": SchemaConfig(**fields)})
    display = Display(Console(stderr=True, highlight=False))
    summary = run_local(config, workspace, display, until=Node.SCHEMA_CURATOR)
    if summary.error:
        error = summary.error
        raise _RunFailedError(error.message, error.hint or "", summary.exit_code)
    assert summary.schema is not None
    text = Path(summary.schema).read_text(encoding="utf-8")
    return render_schema(parse_schema(text, summary.schema))


def write_schema(path: Path, text: str) -> None:
    """Writes the schema to a file for git, atomically.

    Raises:
      ConfigError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(path, text, durable=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


class _RunFailedError(PipelineError):
    """A failure in the DAG process, raised again in its parent with the same exit code."""

    def __init__(self, message: str, hint: str, exit_code: int | None) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code or 1  # type: ignore[misc]
