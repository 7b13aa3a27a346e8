"""The command about the served model: `serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.options import ASSIGNMENTS, OUTPUT, PathOrAddress

if TYPE_CHECKING:
    from pipeline.config.sections.serving import ServerConfig
    from serving.command import Announcement

_FILE = click.Path(path_type=Path)
_MODEL = PathOrAddress(path_type=Path)


@click.command()
@click.option("--config", "configs", multiple=True, type=_FILE, metavar="FILE")
@ASSIGNMENTS
@OUTPUT
@click.option(
    "--model", type=_MODEL, metavar="DIR|ADDRESS",
    help="Serving directory, its address on a store, or directory of a SavedModel, instead of "
    "--config or --output.",
)  # fmt: skip
@click.option("--name", help="Name of the model in requests (default: the pipeline's name).")
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on; 0 takes a free port (default: 8501).")
@click.option("--grpc-port", type=int, help="Port of the gRPC API (default: no gRPC).")
@click.option("--workers", type=int, help="Processes that answer requests (default: 1).")
@click.option("--token-file", metavar="FILE", help="File with a token that requests must carry.")
@click.option(
    "--plain-tokens/--no-plain-tokens", default=None,
    help="Take tokens over plain HTTP from other machines: a proxy before the server has TLS.",
)  # fmt: skip
@click.option(
    "--open-metrics/--no-open-metrics", default=None, help="Ask for no token at /metrics."
)
@click.option("--tls-certificate", metavar="FILE", help="Certificate chain (PEM) for HTTPS.")
@click.option("--tls-key", metavar="FILE", help="Private key (PEM) of the certificate.")
@click.option("--access-log/--no-access-log", default=None, help="Print a line per request.")
def serve(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    model: Path | str | None, name: str | None, **flags: Any,
) -> None:  # fmt: skip
    """Answer requests with the pushed model, as TensorFlow Serving's REST API does.

    A newer version in the serving directory takes over without a failed request. The keys of
    serving.server in the configuration set limits, batching and files.
    """
    from serving.command import serve as serve_model

    found, directory, settings = _find_model(configs, assignments, output, model)
    settings = _override(settings, flags)
    # TensorFlow's import and the model take seconds, in which nothing answers.
    click.echo(f"Loading {name or found} from {directory} ...", err=True)
    sys.exit(serve_model(name or found, directory, settings, _announce))


def _find_model(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    model: Path | str | None,
) -> tuple[str, Path, ServerConfig]:  # fmt: skip
    """Returns the model's name, its directory and the settings of the server."""
    from pipeline.config import load_config
    from pipeline.config.sections.serving import ServerConfig
    from pipeline.runners.history.choice import open_output
    from pipeline.runners.workspace.places import Workspace

    if configs:
        config = load_config(configs, assignments)
        workspace = Workspace.of(config, output)
        directory = _localise(model) if model else workspace.make_serving_copy()
        return config.name, directory, config.serving.server
    if assignments:
        raise click.UsageError("--set needs --config")
    if model is not None and output is None:
        name = model.rpartition("/")[2] if isinstance(model, str) else _guess_name(model.resolve())
        return name, _localise(model), ServerConfig()
    if output is None or model is not None:
        raise click.UsageError("give --config, --output or --model")
    workspace = open_output(output)
    name = workspace.address.rpartition("/")[2] or workspace.root.resolve().name
    return name, workspace.make_serving_copy(), ServerConfig()


def _localise(model: Path | str) -> Path:
    """Returns the directory of a model, for an address that of its copy on this machine."""
    if isinstance(model, Path):
        return model
    from components.served_model.store.cache import open_cache

    return Path(open_cache(model))


def _guess_name(model: Path) -> str:
    """Returns the pipeline's name: `taxi` for runs/taxi/serving and runs/taxi/serving/VERSION."""
    directory = model.parent if model.name.isdigit() else model
    return (directory.parent if directory.name == "serving" else directory).name


def _override(settings: ServerConfig, flags: dict[str, Any]) -> ServerConfig:
    from pydantic import ValidationError

    from pipeline.config.problems import describe_problem
    from pipeline.core.errors import ConfigError

    given = {key: value for key, value in flags.items() if value is not None}
    try:
        return type(settings).model_validate({**settings.model_dump(), **given})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(("serving.server", *map(str, first["loc"])))
        message = f"{key}: {describe_problem(first)}"
        raise ConfigError(message, "correct the flag or the key") from None


def _announce(served: Announcement) -> None:
    from pipeline.core.text import printable

    processes = f" ({served.workers} processes)" if served.workers > 1 else ""
    click.echo(
        f"Serving {printable(served.name)}, version {served.version}, "
        f"at {served.address}{processes}"
    )
    if served.rpc_address:
        click.echo(f"gRPC: {served.rpc_address}")
    click.echo(f"A page to try it: {served.address}/   The API: {served.address}/docs")
