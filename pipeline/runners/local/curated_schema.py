"""`schema`: the curated schema, from the run's cache or from the data."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from components.schema_curator.schema_text import parse_schema, render_schema
from pipeline.config import Config, SchemaConfig
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.files import write_text_atomically
from pipeline.runners.local.run import run_local
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display


def curated_schema(config: Config, workspace: Workspace) -> str:
    """The schema that the next run would hold the data against, as a Schema proto in text format.

    Raises:
      PipelineError: the data could not be read; with the component's own message.
    """
    path = config.schema_.path
    if path is not None and not Path(path).exists():
        # It is about to be made.
        fields = config.schema_.model_dump() | {"path": None}
        config = config.model_copy(update={"schema_": SchemaConfig(**fields)})
    display = Display(Console(stderr=True, highlight=False))
    summary = run_local(config, workspace, display, until="SchemaCurator")
    if summary.error:
        error = summary.error
        raise _RunFailedError(error.message, error.hint or "", summary.exit_code)
    assert summary.schema is not None
    text = Path(summary.schema).read_text(encoding="utf-8")
    return render_schema(parse_schema(text, summary.schema))


def write_schema(path: Path, text: str) -> None:
    """Writes the schema where git can see it, atomically.

    Raises:
      ConfigError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(path, text, durable=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None


class _RunFailedError(PipelineError):
    """A failure in the working process, told again on this side."""

    def __init__(self, message: str, hint: str, exit_code: int | None) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code or 1  # type: ignore[misc]
