"""`deploy`: starts a run on a cluster from a configuration or from a compiled file."""

from __future__ import annotations

import difflib
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from pipeline.config import Config, load_config
from pipeline.config.kubernetes.names import Label, Subdomain
from pipeline.core.errors import ConfigError
from pipeline.core.imports import quick_imports, quiet_imports
from pipeline.runners.kubeflow.client.image import check_tfx_version, pin_image
from pipeline.runners.kubeflow.client.package import (
    FOR_VERTEX,
    SUBMIT_TO_VERTEX,
    compile_config,
    read_package,
)
from pipeline.runners.kubeflow.compiling.added_tasks.task import RUN_PARAMETERS
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline
from pipeline.runners.kubeflow.compiling.required_settings import (
    require_image,
    require_serving_directory,
)
from pipeline.runners.kubeflow.run_overrides import apply_overrides, read_assignments

_OVERRIDES = "overrides"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
"""Hosts of a port that `kubectl port-forward` opens: nothing leaves this machine unencrypted."""


@dataclass(frozen=True)
class DeployOptions:
    """The options of the command `deploy`."""

    configs: Sequence[Path]
    assignments: Sequence[str]
    host: str | None
    package: Path | None = None
    namespace: str | None = None
    experiment: str = "Default"
    run_name: str | None = None
    schedule: str | None = None
    parameters: Sequence[str] = ()
    service_account: str | None = None
    image: str | None = None
    allow_tag: bool = False
    token_file: Path | None = None
    allow_http_token: bool = False
    ca_file: Path | None = None


def deploy_pipeline(options: DeployOptions) -> Iterator[str]:
    """Compiles, uploads and starts the pipeline; yields a line for the user after each step.

    The generator checks everything that needs no server first.

    Raises:
      ConfigError: an option is wrong, or the server refuses the request.
      PipelineError: the connection or the server failed.
    """
    host, parameters, cron = _read_host(options), _read_parameters(options), _read_cron(options)
    _check_token_is_encrypted(options, host)
    _check_name("--namespace", options.namespace, Label)
    _check_name("--service-account", options.service_account, Subdomain)
    # A PEM file may have comments in any encoding between the certificates.
    _read_option_file("--ca-file", options.ca_file, "latin-1")
    package = _read_given_package(options)
    config = package.config if package else load_config(options.configs, options.assignments)
    if config.kubeflow.platform == "vertex":
        raise ConfigError(f"deploy: {FOR_VERTEX}", SUBMIT_TO_VERTEX)
    apply_overrides(config.model_dump_json(by_alias=True), read_assignments(parameters))
    image = pin_image(
        options.image or (package.image if package else _read_image(config)), options.allow_tag
    )
    package = package or compile_config(_with_image(config, image.name))
    if note := check_tfx_version(image, package.tfx_version):
        yield note
    yield from _upload_and_start(options, host, parameters, cron, package.with_image(image.name))


def _upload_and_start(
    options: DeployOptions, host: str, parameters: Mapping[str, str], cron: str | None,
    package: CompiledPipeline,
) -> Iterator[str]:  # fmt: skip
    with quiet_imports():  # The client's import takes long and prints a warning.
        with quick_imports():
            from pipeline.runners.kubeflow.client.api import Address, RunSettings, Server

        server = Server(Address(host, options.namespace, _read_token(options), options.ca_file))
    config, text = package.config, package.to_yaml()
    version_name = hashlib.sha256(text.encode()).hexdigest()[:12]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{config.name}.yaml"
        file.write_text(text, encoding="utf-8")
        version = server.upload(file, config.name, version_name)
    done = "Uploaded" if version.is_new else "Found unchanged on the server:"
    yield f"{done} {config.name}, version {version_name}, with the image {package.image}."
    launch = RunSettings(
        experiment=options.experiment,
        name=options.run_name or _make_run_name(config, cron),
        parameters=parameters,
        pipeline_root=config.kubeflow.pipeline_root,
        service_account=options.service_account,
    )
    if cron is None:
        yield f"Started {launch.name}: {server.run(version, launch)}"
    else:
        yield f"Scheduled {launch.name}: {server.schedule(version, launch, cron)}"


def _read_given_package(options: DeployOptions) -> CompiledPipeline | None:
    """Returns the compiled file that --package names; None without --package."""
    if options.package is None:
        if not options.configs:
            raise ConfigError("deploy: needs --config, or --package with a compiled file")
        return None
    if options.configs or options.assignments:
        raise ConfigError(
            "deploy: --package already contains its configuration",
            "leave out --config and --set; --parameter overrides=KEY=VALUE changes one run",
        )
    return read_package(options.package)


def _read_host(options: DeployOptions) -> str:
    if not options.host:
        raise ConfigError(
            "deploy: needs --host URL, or KF_PIPELINES_ENDPOINT",
            "`kubectl port-forward -n kubeflow svc/ml-pipeline-ui 8080:80` makes the server "
            "reachable as http://localhost:8080",
        )
    if not options.host.startswith(("http://", "https://")):
        raise ConfigError(f"--host {options.host}: has to begin with http:// or https://")
    return options.host.rstrip("/").removesuffix("/#").rstrip("/")


def _check_token_is_encrypted(options: DeployOptions, host: str) -> None:
    url = urlsplit(host)
    if options.token_file is None or options.allow_http_token or url.scheme == "https":
        return
    if url.hostname not in _THIS_MACHINE:
        raise ConfigError(
            f"--token-file: the token would travel to {host} unencrypted",
            "name an https:// address with --host; in a network that you trust, pass "
            "--allow-http-token",
        )


def _check_name(option: str, name: str | None, kind: Any) -> None:
    try:
        TypeAdapter(kind | None).validate_python(name)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{option}: {message}") from None


def _read_parameters(options: DeployOptions) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for assignment in options.parameters:
        name, separator, value = assignment.partition("=")
        if not separator or name not in RUN_PARAMETERS:
            near = difflib.get_close_matches(name, RUN_PARAMETERS, n=1)
            key = f"a key of the configuration: --parameter overrides={assignment}"
            raise ConfigError(
                f"--parameter {assignment}: not of the form NAME=VALUE with one of the names "
                f"{', '.join(RUN_PARAMETERS)}",
                f"such as --parameter {near[0]}=..." if near else key,
            )
        if name in parameters and name != _OVERRIDES:
            raise ConfigError(f"--parameter {assignment}: {name} is given twice")
        # Several overrides become lines of one parameter.
        parameters[name] = f"{parameters[name]}\n{value}" if name in parameters else value
    return parameters


def _read_cron(options: DeployOptions) -> str | None:
    """Returns the schedule in Kubeflow's form, which begins with a field for the seconds."""
    if options.schedule is None:
        return None
    fields = options.schedule.split()
    if len(fields) not in (5, 6) and not options.schedule.startswith("@"):
        raise ConfigError(
            f"--schedule {options.schedule!r}: needs five fields, minute to weekday, or six with "
            "the seconds first",
            "every night at three: --schedule '0 3 * * *'",
        )
    return options.schedule if len(fields) != 5 else f"0 {options.schedule}"


def _make_run_name(config: Config, cron: str | None) -> str:
    # A schedule keeps its name: the next deployment finds the schedule to replace by the name.
    return config.name if cron else f"{config.name} {datetime.now():%Y-%m-%d %H:%M:%S}"


def _read_image(config: Config) -> str:
    require_serving_directory(config)  # Checked here too, before any slow step.
    return require_image(config)


def _with_image(config: Config, image: str) -> Config:
    kubeflow = config.kubeflow.model_copy(update={"image": image})
    return config.model_copy(update={"kubeflow": kubeflow})


def _read_token(options: DeployOptions) -> str | None:
    return _read_option_file("--token-file", options.token_file, "utf-8").strip() or None


def _read_option_file(option: str, file: Path | None, encoding: str) -> str:
    """Returns the text of the option's file; an empty text if the option is not given."""
    if file is None:
        return ""
    try:
        return file.read_text(encoding)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{option} {file}: cannot be read: {error}") from None
