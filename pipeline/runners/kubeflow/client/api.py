"""The API of Kubeflow Pipelines, by its own client, with errors that say what to do."""

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
"""To connect, and until more of an answer comes."""
_RETRYABLE = (408, 429)
_CONNECTION = re.compile(r"^(<.* object at \w+>|HTTPS?Connection\(.*?\)): ")
_UNREACHABLE = (
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.LocationValueError,
)


@dataclass(frozen=True)
class Address:
    """Where the server is, and who asks."""

    host: str
    namespace: str | None = None
    token: str | None = None
    ca_file: Path | None = None


@dataclass(frozen=True)
class Version:
    """A version of a pipeline that the server has."""

    pipeline_id: str
    version_id: str


@dataclass(frozen=True)
class RunSettings:
    """What a run is told; a schedule tells it to each of its runs."""

    experiment: str
    name: str
    parameters: Mapping[str, str]
    pipeline_root: str | None = None
    service_account: str | None = None


class Server:
    """One server, seen by one user."""

    def __init__(self, address: Address) -> None:
        """Raises ConfigError if nobody answers there, or not as Kubeflow Pipelines does."""
        self._address = address
        self._check()
        with self._explained_errors():
            self._client = kfp_client.Client(
                host=address.host,
                namespace=address.namespace or "kubeflow",
                existing_token=address.token,
                ssl_ca_cert=str(address.ca_file) if address.ca_file else None,
            )
            _limit_waiting(self._client)
            # Else that of the last time, which the client keeps in the user's home.
            self._namespace = address.namespace or self._client.get_user_namespace() or None

    def upload(self, file: Path, pipeline: str, version: str) -> Version:
        """Uploads a version of a pipeline, unless there is one of that name."""
        with self._explained_errors():
            pipeline_id = self._find_pipeline(pipeline) or self._add_pipeline(pipeline)
            if found := self._versions(pipeline_id, version):
                return Version(pipeline_id, found[0])
            added = self._client.upload_pipeline_version(
                str(file), pipeline_version_name=version, pipeline_id=pipeline_id
            )
            return Version(pipeline_id, added.pipeline_version_id)

    def run(self, version: Version, launch: RunSettings) -> str:
        """Starts a run; gives its address."""
        with self._explained_errors():
            run = self._client.run_pipeline(
                experiment_id=self._experiment(launch.experiment),
                job_name=launch.name,
                **self._run_arguments(version, launch),
            )
        return f"{self._address.host}/#/runs/details/{run.run_id}"

    def schedule(self, version: Version, launch: RunSettings, cron: str) -> str:
        """Sets up a schedule in the place of those of the same name; gives its address."""
        with self._explained_errors():
            experiment = self._experiment(launch.experiment)
            before = self._schedules(experiment, launch.name)
            made = self._client.create_recurring_run(
                experiment_id=experiment,
                job_name=launch.name,
                cron_expression=cron,
                # One run at a time: two would push to the same place. What was missed is past.
                max_concurrency=1,
                no_catchup=True,
                **self._run_arguments(version, launch),
            )
            for old in before:
                self._client.delete_recurring_run(old)
        return f"{self._address.host}/#/recurringrun/details/{made.recurring_run_id}"

    def _run_arguments(self, version: Version, launch: RunSettings) -> dict[str, Any]:
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

    def _add_pipeline(self, name: str) -> str:
        """One without versions: `upload_pipeline` would call the first by the pipeline's name."""
        body = {"display_name": name, "namespace": self._namespace}
        # The generated method has another name in each version of the client.
        made, *_ = self._client._pipelines_api.api_client.call_api(
            _PIPELINES, "POST", body=body, response_type="object", auth_settings=["Bearer"]
        )
        return str(made["pipeline_id"])

    def _versions(self, pipeline_id: str, name: str) -> list[str]:
        """Their ids."""
        found = self._client.list_pipeline_versions(
            pipeline_id, filter=_filter_by_name(name)
        ).pipeline_versions
        return [str(version.pipeline_version_id) for version in found or ()]

    def _experiment(self, name: str) -> str:
        made = self._client.create_experiment(name, namespace=self._namespace)
        return str(made.experiment_id)

    def _schedules(self, experiment: str, name: str) -> list[str]:
        found = self._client.list_recurring_runs(
            experiment_id=experiment, page_size=100, filter=_filter_by_name(name)
        ).recurring_runs
        return [str(schedule.recurring_run_id) for schedule in found or ()]

    def _check(self) -> None:
        """Asks for the server's health, without the client's many tries."""
        bearer = {"authorization": f"Bearer {self._address.token}"} if self._address.token else {}
        ca_file = str(self._address.ca_file) if self._address.ca_file else None
        with self._explained_errors(), urllib3.PoolManager(ca_certs=ca_file) as pool:
            answer = pool.request(
                "GET", f"{self._address.host}{_HEALTH}", headers=bearer,
                timeout=urllib3.Timeout(*_SECONDS),
                retries=False, redirect=False,
            )  # fmt: skip
        if answer.status != 200 or not _is_json_object(answer.data):
            # A page to log in at is no answer either.
            raise self._explain_refusal(answer.status if answer.status != 200 else 302, answer.data)

    @contextlib.contextmanager
    def _explained_errors(self) -> Iterator[None]:
        """Failures of the client, as the user is told of them; what it prints is left out."""
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
                "a proxy may stand before it that wants a login: --token-file, or past it by "
                "kubectl port-forward",
            ) from error

    def _explain_no_answer(self, error: urllib3.exceptions.HTTPError) -> PipelineError:
        # That of the last of several tries.
        reason = getattr(error, "reason", None) or error
        # Without the connection that it begins with, an object or, of newer versions, a call.
        words = _CONNECTION.sub("", str(reason))
        place = f"--host {self._address.host}"
        if isinstance(reason, urllib3.exceptions.SSLError):
            return ConfigError(
                f"{place}: no secure connection: {words}",
                "--ca-file names the authority, where it is one of your own; where the server "
                "has no TLS, the URL begins with http://",
            )
        if isinstance(reason, _UNREACHABLE):
            return ConfigError(
                f"{place}: nobody answers: {words}",
                "kubectl port-forward -n kubeflow svc/ml-pipeline-ui 8080:80 makes it "
                "http://localhost:8080",
            )
        return PipelineError(f"{place}: the connection broke: {words}", "try again later")

    def _explain_refusal(self, status: int, body: object) -> PipelineError:
        place, message = f"--host {self._address.host}", _read_message(body)
        if status in (301, 302, 303, 307, 401):
            return ConfigError(
                f"{place}: does not know who asks{message}",
                "--token-file names a file with a bearer token, such as that of "
                "`kubectl create token`; or go past the login with kubectl port-forward",
            )
        if status == 403:
            return ConfigError(
                f"{place}: does not allow it{message}",
                "--namespace names the profile's namespace, where there are several",
            )
        if status == 404:
            return ConfigError(
                f"{place}: is not the API of Kubeflow Pipelines 2{message}",
                "the URL is that of the user interface, without anything behind; version 1 of "
                "Kubeflow Pipelines has no such API",
            )
        if 400 <= status < 500 and status not in _RETRYABLE:
            return ConfigError(f"{place}: refuses it{message}")
        return PipelineError(f"{place}: failed with status {status}{message}", "try again later")


def _limit_waiting(client: kfp_client.Client) -> None:
    """All of its services share a connection, which of itself would wait for ever."""
    connection = client._pipelines_api.api_client.rest_client
    ask = connection.request

    def request(*arguments: Any, _request_timeout: Any = None, **named: Any) -> Any:
        return ask(*arguments, _request_timeout=_request_timeout or _SECONDS, **named)

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
    """What the server says, where it says it as its API does."""
    try:
        told = json.loads(body)  # type: ignore[arg-type]
        return f": {told.get('error') or told['message']}"
    except (ValueError, TypeError, LookupError, AttributeError):
        return ""
