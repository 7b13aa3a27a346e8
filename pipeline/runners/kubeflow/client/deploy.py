"""`deploy`: from a configuration, or a compiled file, to a run on a cluster."""

from __future__ import annotations

import difflib
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pipeline.config import Config, load_config
from pipeline.config.kubernetes.names import Label, Subdomain
from pipeline.core.errors import ConfigError
from pipeline.core.imports import quick_imports, quiet_imports
from pipeline.runners.kubeflow.client.image import check_tfx_version, pin_image
from pipeline.runners.kubeflow.client.package import compile_config, read_package
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline
from pipeline.runners.kubeflow.compiling.first_task import RUN_PARAMETERS
from pipeline.runners.kubeflow.compiling.required_settings import (
    require_image,
    require_serving_directory,
)
from pipeline.runners.kubeflow.run_overrides import apply_overrides, read_assignments

_OVERRIDES = "overrides"


@dataclass(frozen=True)
class DeployOptions:
    """What the command line asks for."""

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
    ca_file: Path | None = None


def deploy_pipeline(options: DeployOptions) -> Iterator[str]:
    """Does it, and says what was done, line by line.

    Raises:
      ConfigError: something is wrong with the order, or the server refuses it.
    """
    host, parameters, cron = _read_host(options), _read_parameters(options), _read_cron(options)
    _check_name("--namespace", options.namespace, Label)
    _check_name("--service-account", options.service_account, Subdomain)
    # What stands between the certificates may be in any encoding.
    _read_option_file("--ca-file", options.ca_file, "latin-1")
    package = _read_given_package(options)
    config = package.config if package else load_config(options.configs, options.assignments)
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
    with quiet_imports():  # The client is heavy, and greets with a warning.
        with quick_imports():
            from pipeline.runners.kubeflow.client.api import Address, RunSettings, Server

        server = Server(Address(host, options.namespace, _read_token(options), options.ca_file))
    config, text = package.config, package.to_yaml()
    version_name = hashlib.sha256(text.encode()).hexdigest()[:12]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{config.name}.yaml"
        file.write_text(text, encoding="utf-8")
        version = server.upload(file, config.name, version_name)
    yield f"Uploaded {config.name}, version {version_name}, with the image {package.image}."
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
    """The compiled file, where one was named."""
    if options.package is None:
        if not options.configs:
            raise ConfigError("deploy: needs --config, or --package with a compiled file")
        return None
    if options.configs or options.assignments:
        raise ConfigError(
            "deploy: --package has its configuration in it",
            "leave out --config and --set; --parameter overrides=KEY=VALUE changes a run's",
        )
    return read_package(options.package)


def _read_host(options: DeployOptions) -> str:
    if not options.host:
        raise ConfigError(
            "deploy: needs --host URL, or KF_PIPELINES_ENDPOINT",
            "kubectl port-forward -n kubeflow svc/ml-pipeline-ui 8080:80 makes it "
            "http://localhost:8080",
        )
    if not options.host.startswith(("http://", "https://")):
        raise ConfigError(f"--host {options.host}: has to begin with http:// or https://")
    return options.host.rstrip("/").removesuffix("/#").rstrip("/")


def _check_name(option: str, name: str | None, kind: Any) -> None:
    try:
        TypeAdapter(kind | None).validate_python(name)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{option}: {message}") from None


def _read_parameters(options: DeployOptions) -> dict[str, str]:
    given: dict[str, str] = {}
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
        if name in given and name != _OVERRIDES:
            raise ConfigError(f"--parameter {assignment}: {name} was given before")
        # Several overrides are lines of one parameter.
        given[name] = f"{given[name]}\n{value}" if name in given else value
    return given


def _read_cron(options: DeployOptions) -> str | None:
    """With the seconds that Kubeflow wants first."""
    if options.schedule is None:
        return None
    fields = options.schedule.split()
    if len(fields) not in (5, 6) and not options.schedule.startswith("@"):
        raise ConfigError(
            f"--schedule {options.schedule!r}: has five fields, minute to weekday, or six with "
            "seconds before",
            "every night at three: --schedule '0 3 * * *'",
        )
    return options.schedule if len(fields) != 5 else f"0 {options.schedule}"


def _make_run_name(config: Config, cron: str | None) -> str:
    # A schedule's stays: by it, the next deployment finds the one to replace.
    return config.name if cron else f"{config.name} {datetime.now():%Y-%m-%d %H:%M:%S}"


def _read_image(config: Config) -> str:
    require_serving_directory(config)  # Both are wanted before anything takes time.
    return require_image(config)


def _with_image(config: Config, image: str) -> Config:
    kubeflow = config.kubeflow.model_copy(update={"image": image})
    return config.model_copy(update={"kubeflow": kubeflow})


def _read_token(options: DeployOptions) -> str | None:
    return _read_option_file("--token-file", options.token_file, "utf-8").strip() or None


def _read_option_file(option: str, file: Path | None, encoding: str) -> str:
    """What the file of an option holds; nothing where the option was not given."""
    if file is None:
        return ""
    try:
        return file.read_text(encoding)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{option} {file}: cannot be read: {error}") from None
