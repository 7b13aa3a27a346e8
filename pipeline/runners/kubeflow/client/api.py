"""Calls the API of Kubeflow Pipelines with its own client; errors say what the user can do."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kfp_server_api
import urllib3
from kfp import client as kfp_client

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.text import message_of, short_message

_HEALTH = "/apis/v2beta1/healthz"
_PIPELINES = "/apis/v2beta1/pipelines"
_SECONDS = (10, 30)
"""Timeouts: for connecting, and between two parts of an answer. The client alone waits forever."""
_RETRYABLE = (408, 429)
"""Client errors that pass: Request Timeout and Too Many Requests."""
_CONNECTION = re.compile(r"^(<.* object at \w+>|HTTPS?Connection\(.*?\)): ")
_UNREACHABLE = (
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.LocationValueError,
)


@dataclass(frozen=True)
class Address:
    """The server's address and the user's credentials."""

    host: str
    namespace: str | None = None
    token: str | None = None
    ca_file: Path | None = None


@dataclass(frozen=True)
class Version:
    """A pipeline version on the server."""

    pipeline_id: str
    version_id: str
    is_new: bool = True
    """False if the server had this version before."""


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run, or of all runs of a schedule."""

    experiment: str
    name: str
    parameters: Mapping[str, str]
    pipeline_root: str | None = None
    service_account: str | None = None


class Server:
    """A connection of one user to one server."""

    def __init__(self, address: Address) -> None:
        """Connects to the server.

        Raises:
          ConfigError: no server answers, or the server is not Kubeflow Pipelines.
          PipelineError: the connection or the server failed.
        """
        self._address = address
        self._check()
        with self._explain_errors():
            self._client = kfp_client.Client(
                host=address.host,
                namespace=address.namespace or "kubeflow",
                existing_token=address.token,
                ssl_ca_cert=str(address.ca_file) if address.ca_file else None,
            )
            _limit_waiting(self._client)
            # By default, the client uses the namespace that it last saved in the user's home.
            self._namespace = address.namespace or self._client.get_user_namespace() or None

    def upload(self, file: Path, pipeline: str, version: str) -> Version:
        """Uploads a version of a pipeline, and returns it.

        If the pipeline has a version of this name, returns that version.
        """
        with self._explain_errors():
            pipeline_id = self._find_pipeline(pipeline) or self._create_pipeline(pipeline)
            if found := self._list_versions(pipeline_id, version):
                return Version(pipeline_id, found[0], is_new=False)
            uploaded = self._client.upload_pipeline_version(
                str(file), pipeline_version_name=version, pipeline_id=pipeline_id
            )
            return Version(pipeline_id, uploaded.pipeline_version_id)

    def run(self, version: Version, launch: RunSettings) -> str:
        """Starts a run and returns its URL."""
        with self._explain_errors():
            run = self._client.run_pipeline(
                experiment_id=self._ensure_experiment(launch.experiment),
                job_name=launch.name,
                **self._make_run_arguments(version, launch),
            )
        return f"{self._address.host}/#/runs/details/{run.run_id}"

    def schedule(self, version: Version, launch: RunSettings, cron: str) -> str:
        """Creates a schedule that replaces all schedules of the same name; returns its URL."""
        with self._explain_errors():
            experiment = self._ensure_experiment(launch.experiment)
            replaced = self._list_schedules(experiment, launch.name)
            created = self._client.create_recurring_run(
                experiment_id=experiment,
                job_name=launch.name,
                cron_expression=cron,
                # One run at a time, because two runs would push to the same directory. Missed runs
                # are not repeated: the next run reads the newest data.
                max_concurrency=1,
                no_catchup=True,
                **self._make_run_arguments(version, launch),
            )
            for schedule in replaced:
                self._client.delete_recurring_run(schedule)
        return f"{self._address.host}/#/recurringrun/details/{created.recurring_run_id}"

    def _make_run_arguments(self, version: Version, launch: RunSettings) -> dict[str, Any]:
        return {
            "pipeline_id": version.pipeline_id,
            "version_id": version.version_id,
            "params": dict(launch.parameters),
            "pipeline_root": launch.pipeline_root,
            "service_account": launch.service_account,
        }

    def _find_pipeline(self, name: str) -> str | None:
        found = self._client.list_pipelines(
            filter=_filter_by_name(name), namespace=self._namespace
        ).pipelines
        return str(found[0].pipeline_id) if found else None

    def _create_pipeline(self, name: str) -> str:
        """Creates a pipeline without versions, and returns its id.

        The client's `upload_pipeline` would name the first version after the pipeline.
        """
        body = {"display_name": name, "namespace": self._namespace}
        # The generated method has another name in each version of the client.
        created, *_ = self._client._pipelines_api.api_client.call_api(
            _PIPELINES, "POST", body=body, response_type="object", auth_settings=["Bearer"]
        )
        return str(created["pipeline_id"])

    def _list_versions(self, pipeline_id: str, name: str) -> list[str]:
        """Returns the ids of the pipeline's versions of this name."""
        found = self._client.list_pipeline_versions(
            pipeline_id, filter=_filter_by_name(name)
        ).pipeline_versions
        return [str(version.pipeline_version_id) for version in found or ()]

    def _ensure_experiment(self, name: str) -> str:
        experiment = self._client.create_experiment(name, namespace=self._namespace)
        return str(experiment.experiment_id)

    def _list_schedules(self, experiment: str, name: str) -> list[str]:
        found = self._client.list_recurring_runs(
            experiment_id=experiment, page_size=100, filter=_filter_by_name(name)
        ).recurring_runs
        return [str(schedule.recurring_run_id) for schedule in found or ()]

    def _check(self) -> None:
        """Requests the server's health once; the client would retry many times."""
        bearer = {"authorization": f"Bearer {self._address.token}"} if self._address.token else {}
        ca_file = str(self._address.ca_file) if self._address.ca_file else None
        with self._explain_errors(), urllib3.PoolManager(ca_certs=ca_file) as pool:
            answer = pool.request(
                "GET", f"{self._address.host}{_HEALTH}", headers=bearer,
                timeout=urllib3.Timeout(*_SECONDS),
                retries=False, redirect=False,
            )  # fmt: skip
        if answer.status != 200 or not _is_json_object(answer.data):
            # A login page also has the status 200, and is treated like a redirect to a login.
            raise self._explain_refusal(answer.status if answer.status != 200 else 302, answer.data)

    @contextlib.contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Converts the client's errors to errors for the user, and hides what the client prints."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        except kfp_server_api.ApiException as error:
            raise self._explain_refusal(error.status, error.body) from error
        except urllib3.exceptions.HTTPError as error:
            raise self._explain_no_answer(error) from error
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise ConfigError(
                f"--host {self._address.host}: does not answer as Kubeflow Pipelines does "
                f"({type(error).__name__}: {short_message(message_of(error) or 'no message')})",
                "a proxy in front of the server may require a login: pass --token-file, or bypass "
                "the proxy with kubectl port-forward",
            ) from error

    def _explain_no_answer(self, error: urllib3.exceptions.HTTPError) -> PipelineError:
        # After several attempts, `reason` is the error of the last attempt.
        reason = getattr(error, "reason", None) or error
        # urllib3 begins the message with the connection: an object or, in newer versions, a call.
        message = _CONNECTION.sub("", str(reason))
        place = f"--host {self._address.host}"
        if isinstance(reason, urllib3.exceptions.SSLError):
            return ConfigError(
                f"{place}: no secure connection: {message}",
                "pass the CA certificate of a private authority with --ca-file; if the server has "
                "no TLS, begin the URL with http://",
            )
        if isinstance(reason, _UNREACHABLE):
            return ConfigError(
                f"{place}: cannot be reached: {message}",
                "`kubectl port-forward -n kubeflow svc/ml-pipeline-ui 8080:80` makes the server "
                "reachable as http://localhost:8080",
            )
        return PipelineError(f"{place}: the connection broke: {message}", "try again later")

    def _explain_refusal(self, status: int, body: object) -> PipelineError:
        place, message = f"--host {self._address.host}", _read_message(body)
        if status in (301, 302, 303, 307, 401):
            return ConfigError(
                f"{place}: requires a login{message}",
                "pass a file with a bearer token, such as that of `kubectl create token "
                "--audience=...`, with --token-file (docs/kubeflow.md names the audiences); or "
                "bypass the login with kubectl port-forward",
            )
        if status == 403:
            return ConfigError(
                f"{place}: permission denied{message}",
                "if Kubeflow has several profiles, pass your profile's namespace with --namespace",
            )
        if status == 404:
            return ConfigError(
                f"{place}: is not the API of Kubeflow Pipelines 2{message}",
                "pass the URL of the user interface without a path; the full Kubeflow platform has "
                "the API below /pipeline; version 1 of Kubeflow Pipelines has no such API",
            )
        if 400 <= status < 500 and status not in _RETRYABLE:
            return ConfigError(f"{place}: rejected the request{message}")
        return PipelineError(f"{place}: failed with status {status}{message}", "try again later")


def _limit_waiting(client: kfp_client.Client) -> None:
    """Sets a timeout for all of the client's requests, which by default wait forever.

    All services of the client share one connection.
    """
    connection = client._pipelines_api.api_client.rest_client
    original = connection.request

    def request(*arguments: Any, _request_timeout: Any = None, **named: Any) -> Any:
        return original(*arguments, _request_timeout=_request_timeout or _SECONDS, **named)

    connection.request = request


def _filter_by_name(name: str) -> str:
    predicate = {"operation": 1, "key": "display_name", "stringValue": name}
    return json.dumps({"predicates": [predicate]})


def _is_json_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except ValueError:
        return False


def _read_message(body: object) -> str:
    """Returns ": " and the server's message; an empty text if the body is not an API error."""
    try:
        answer = json.loads(body)  # type: ignore[arg-type]
        return f": {answer.get('error') or answer['message']}"
    except (ValueError, TypeError, LookupError, AttributeError):
        return ""
