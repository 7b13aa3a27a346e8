"""How `deploy` explains a server that refuses, fails or does not answer."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from deploy_command import IMAGE, deploy
from fake_kubeflow import FakeKubeflow


@pytest.mark.parametrize(
    ("server", "message", "code"),
    [
        ({"token": "another"}, "requires a login", 2),
        ({"html": True}, "requires a login", 2),
        (
            {"refuse": {"GET /apis/v2beta1/pipelines": 403}},
            "pass your profile's namespace with --namespace",
            2,
        ),
        ({"refuse": {"GET /apis/v2beta1/healthz": 404}}, "is not the API of Kubeflow", 2),
        (
            {"refuse": {"POST /apis/v2beta1/pipelines": 400}},
            "rejected the request: refused by the test",
            2,
        ),
        ({"refuse": {"POST /apis/v2beta1/runs": 500}}, "failed with status 500", 1),
        ({"refuse": {"POST /apis/v2beta1/runs": 429}}, "failed with status 429", 1),
        *(
            ({"other": other}, "does not answer as Kubeflow Pipelines does", 2)
            for other in (b"<html>log in</html>", b"[]", b"null", b"7", b"{}", b"\xff\xfe")
        ),
    ],
)
def test_an_answer_other_than_success_is_explained(
    kubeflow: FakeKubeflow, package: Path, server: dict[str, Any], message: str, code: int
) -> None:
    for name, value in server.items():
        setattr(kubeflow, name, value)
    done = deploy("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    assert done.exit_code == code, done.output
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_server_that_stops_answering_times_out(
    kubeflow: FakeKubeflow, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.runners.kubeflow.client import api as server

    monkeypatch.setattr(server, "_SECONDS", (1, 0.1))
    kubeflow.seconds = 2
    done = deploy("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    assert done.exit_code == 1, done.output
    assert "the connection broke: " in done.stderr


def test_an_unreachable_server_is_explained(package: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = deploy("--package", package, "--host", host, "--image", IMAGE)
    assert done.exit_code == 2
    assert "cannot be reached: Failed to establish" in done.stderr.replace("\n", " ")
    assert "kubectl port-forward" in done.stderr


def test_the_token_of_the_file_is_sent(
    kubeflow: FakeKubeflow, package: Path, tmp_path: Path
) -> None:
    kubeflow.token = "let-me-in"
    (tmp_path / "token").write_text("let-me-in\n")
    arguments = ("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    done = deploy(*arguments, "--token-file", tmp_path / "token")
    assert done.exit_code == 0, done.output
    assert kubeflow.runs


def test_the_api_of_the_full_platform_is_below_a_path(
    kubeflow: FakeKubeflow, package: Path, tmp_path: Path
) -> None:
    kubeflow.prefix, kubeflow.token = "/pipeline", "of the profile"
    (tmp_path / "token").write_text("of the profile")
    arguments = (
        "--package", package, "--image", IMAGE, "--namespace", "team",
        "--token-file", tmp_path / "token",
    )  # fmt: skip
    refused = deploy(*arguments, "--host", kubeflow.url)
    assert refused.exit_code == 2
    assert "has the API below /pipeline" in " ".join(refused.stderr.split())
    done = deploy(*arguments, "--host", f"{kubeflow.url}/pipeline/")
    assert done.exit_code == 0, done.output
    assert f"{kubeflow.url}/pipeline/#/runs/details/r0" in done.output
    (experiment,) = kubeflow.experiments.values()
    assert experiment["namespace"] == "team"


def test_a_server_without_tls_is_named_as_such(kubeflow: FakeKubeflow, package: Path) -> None:
    host = kubeflow.url.replace("http://", "https://")
    done = deploy("--package", package, "--host", host, "--image", IMAGE)
    assert done.exit_code == 2
    assert "no secure connection" in done.stderr
    assert "--ca-file" in done.stderr
