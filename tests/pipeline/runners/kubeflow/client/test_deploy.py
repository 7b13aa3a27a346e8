"""`deploy` against a server that answers as Kubeflow Pipelines does, and tools that know images."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from fake_kubeflow import FakeKubeflow

from pipeline.cli import main
from pipeline.config import Config, load_config
from pipeline.runners.kubeflow.client.package import compile_to, read_package
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline

ROOT = Path(__file__).parents[5]
CONFIGS = [ROOT / "configs/taxi.yaml", ROOT / "configs/overlays/kubeflow.yaml"]
ROOT_URI = "s3://bucket/pipelines"
DIGEST = f"sha256:{'1f' * 32}"
NO_TOKEN = ["--host", "http://x", "--token-file", "absent"]
IMAGE = f"registry:5000/trainer@{DIGEST}"


def taxi() -> Config:
    return load_config(CONFIGS, [f"kubeflow.pipeline_root={ROOT_URI}"])


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("package") / "taxi.yaml"
    compile_to(path, taxi())
    return path


@pytest.fixture(scope="module")
def tfx_version(package: Path) -> str:
    return read_package(package).tfx_version


@pytest.fixture
def kubeflow() -> Iterator[FakeKubeflow]:
    with FakeKubeflow().serving() as server:
        yield server


@pytest.fixture(autouse=True)
def no_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of container tools: those of this machine are not asked."""
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("skopeo", "podman", "docker"):
        tool(tools, name, None)
    return tools


def tool(tools: Path, name: str, answer: Any) -> None:
    """A container tool that gives this answer, or does not know the image."""
    told = "exit 1" if answer is None else f"cat <<'END'\n{json.dumps(answer)}\nEND"
    (tools / name).write_text(f'#!/bin/sh\necho "$0 $@" >>{tools}/asked\n{told}\n')
    (tools / name).chmod(0o755)


def deploy(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["deploy", *map(str, arguments)])


def test_a_run_is_of_the_uploaded_file_with_its_platform(
    kubeflow: FakeKubeflow, package: Path
) -> None:
    done = deploy(
        "--package", package, "--host", f"{kubeflow.url}/", "--image", IMAGE, "--experiment", "e",
        "--run-name", "first", "--parameter", "data-path=/data/*.csv",
        "--parameter", "overrides=training.epochs=3", "--parameter", "overrides=model.dropout=0",
        "--service-account", "trainer",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    (version,) = kubeflow.versions.values()
    expected = read_package(package).with_image(IMAGE)
    assert CompiledPipeline(version["spec"], version["platform"]) == expected
    assert expected.platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"]
    images = {
        executor["container"]["image"]
        for executor in version["spec"]["deploymentSpec"]["executors"].values()
    }
    assert images == {IMAGE}
    (run,) = kubeflow.runs
    assert kubeflow.experiments[run["experiment_id"]]["display_name"] == "e"
    assert (run["display_name"], run["service_account"]) == ("first", "trainer")
    assert run["runtime_config"] == {
        "pipeline_root": ROOT_URI,
        "parameters": {
            "data-path": "/data/*.csv",
            "overrides": "training.epochs=3\nmodel.dropout=0",
        },
    }
    assert f"Started first: {kubeflow.url}/#/runs/details/r0" in done.output
    assert "Not checked: whether" in done.output


def test_a_configuration_is_compiled_with_the_digest_of_its_tag(
    kubeflow: FakeKubeflow, no_tools: Path, tfx_version: str
) -> None:
    name = "tfx-production-training"
    known = {
        "RepoDigests": [f"{name}@{DIGEST}"],
        "Config": {"Labels": {"tfx.version": tfx_version}},
    }
    tool(no_tools, "docker", [known])
    configs = [part for config in CONFIGS for part in ("--config", config)]
    done = deploy(*configs, "--set", "training.epochs=2", "--endpoint", kubeflow.url)
    assert done.exit_code == 0, done.output
    (version,) = kubeflow.versions.values()
    deployed = CompiledPipeline(version["spec"], version["platform"])
    assert deployed.image == f"{name}@{DIGEST}"
    assert deployed.config.training.epochs == 2
    assert kubeflow.runs[0]["display_name"].startswith("taxi 20")
    assert "Not checked" not in done.output
    assert "image inspect tfx-production-training:latest" in (no_tools / "asked").read_text()


def test_what_changed_is_a_new_version_and_what_did_not_is_none(
    kubeflow: FakeKubeflow, package: Path
) -> None:
    arguments = ("--package", package, "--host", kubeflow.url)
    for image in (IMAGE, IMAGE, IMAGE.replace("1f", "2f"), IMAGE.replace("1f", "2f")):
        done = deploy(*arguments, "--image", image)
        assert done.exit_code == 0, done.output
    assert len(kubeflow.pipelines) == 1
    used = [run["pipeline_version_reference"]["pipeline_version_id"] for run in kubeflow.runs]
    assert used[0] == used[1] != used[2] == used[3]
    names = [version["display_name"] for version in kubeflow.versions.values()]
    assert len(names) == 2
    assert f"Uploaded taxi, version {names[-1]}" in done.output


def test_a_schedule_takes_the_place_of_the_one_before(
    kubeflow: FakeKubeflow, package: Path
) -> None:
    arguments = ("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    for cron in ("0 3 * * *", "0 30 4 * * 1"):
        done = deploy(*arguments, "--schedule", cron)
        assert done.exit_code == 0, done.output
    (schedule,) = kubeflow.schedules.values()
    assert schedule["trigger"] == {"cron_schedule": {"cron": "0 30 4 * * 1"}}
    assert (int(schedule["max_concurrency"]), schedule["no_catchup"]) == (1, True)
    assert schedule["runtime_config"]["pipeline_root"] == ROOT_URI
    assert schedule["display_name"] == "taxi"
    assert not kubeflow.runs


@pytest.mark.parametrize(
    ("server", "told", "code"),
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
def test_a_servers_refusal_is_explained(
    kubeflow: FakeKubeflow, package: Path, server: dict[str, Any], told: str, code: int
) -> None:
    for name, value in server.items():
        setattr(kubeflow, name, value)
    done = deploy("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    assert done.exit_code == code, done.output
    assert told in done.stderr
    assert "Traceback" not in done.output


def test_a_server_that_stops_answering_is_not_waited_for(
    kubeflow: FakeKubeflow, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.runners.kubeflow.client import api as server

    monkeypatch.setattr(server, "_SECONDS", (1, 0.1))
    kubeflow.seconds = 2
    done = deploy("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    assert done.exit_code == 1, done.output
    assert "the connection broke: " in done.stderr


def test_no_server_is_explained(package: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = deploy("--package", package, "--host", host, "--image", IMAGE)
    assert done.exit_code == 2
    assert "cannot be reached: Failed to establish" in done.stderr.replace("\n", " ")
    assert "kubectl port-forward" in done.stderr


def test_a_token_opens_the_server(kubeflow: FakeKubeflow, package: Path, tmp_path: Path) -> None:
    kubeflow.token = "let-me-in"
    (tmp_path / "token").write_text("let-me-in\n")
    arguments = ("--package", package, "--host", kubeflow.url, "--image", IMAGE)
    done = deploy(*arguments, "--token-file", tmp_path / "token")
    assert done.exit_code == 0, done.output
    assert kubeflow.runs


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "http://x"], "needs --config, or --package"),
        (["--package", "{package}"], "needs --host"),
        (["--package", "{package}", "--host", "kubeflow"], "has to begin with http"),
        (["--host", "http://x", "--service-account", "Me"], "--service-account: should be at most"),
        (["--host", "http://x", "--namespace", "a.b"], "--namespace: should be at most 63"),
        (["--host", "http://x", "--ca-file", "absent"], "--ca-file absent: cannot be read"),
        (["--package", "absent.yaml", "--host", "http://x"], "absent.yaml: cannot be read"),
        (["--package", "taxi.json", "--host", "http://x"], "end in .yaml"),
        (
            ["--package", str(CONFIGS[0]), "--host", "http://x"],
            "is not a complete file of `compile`",
        ),
        (
            ["--package", "{package}", "--config", "x", "--host", "http://x"],
            "already contains its config",
        ),
        (
            [
                "--package",
                "{package}",
                "--host",
                "http://x",
                "--parameter",
                "overrides=training.epoch=3",
            ],
            "overrides: training.epoch=3: training.epoch: unknown key",
        ),
        (
            [
                "--package",
                "{package}",
                "--host",
                "http://x",
                "--parameter",
                "data-path=/a",
                "--parameter",
                "data-path=/b",
            ],
            "data-path is given twice",
        ),
        (
            ["--package", "{package}", "--host", "http://x", "--image", "a@sha256:1f"],
            "64 hexadecimal digits",
        ),
        (["--package", "{package}", "--host", "http://x", "--parameter", "epochs=3"], "overrides="),
        (
            ["--package", "{package}", "--host", "http://x", "--parameter", "override=epochs=3"],
            "such as --parameter overrides=...",
        ),
        (["--package", "{package}", "--host", "http://x", "--schedule", "daily"], "five fields"),
        (["--package", "{package}", "--host", "http://x"], "no tool here knows the digest"),
        (["--config", str(CONFIGS[0]), "--host", "http://x"], "kubeflow.storage: is required"),
        (["--package", "{package}", "--image", IMAGE, *NO_TOKEN], "--token-file absent"),
    ],
)
def test_wrong_usage_ends_with_2(package: Path, arguments: list[str], told: str) -> None:
    done = deploy(*(argument.format(package=package) for argument in arguments))
    assert done.exit_code == 2, done.output
    assert told in done.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("skopeo", {"Digest": DIGEST, "Labels": {"tfx.version": "0.1"}}),
        ("docker", [{"RepoDigests": [], "Config": {"Labels": {"tfx.version": "0.1"}}}]),
    ],
)
def test_an_image_with_another_tfx_is_refused(
    kubeflow: FakeKubeflow, package: Path, no_tools: Path, name: str, answer: Any
) -> None:
    tool(no_tools, name, answer)
    done = deploy("--package", package, "--host", kubeflow.url, "--allow-tag")
    assert done.exit_code == 2
    assert "has TFX 0.1, but the pipeline was compiled with" in done.stderr
    assert not kubeflow.asked


def test_a_server_without_tls_is_not_said_to_be_absent(
    kubeflow: FakeKubeflow, package: Path
) -> None:
    host = kubeflow.url.replace("http://", "https://")
    done = deploy("--package", package, "--host", host, "--image", IMAGE)
    assert done.exit_code == 2
    assert "no secure connection" in done.stderr
    assert "--ca-file" in done.stderr


def test_a_tag_is_run_only_where_it_is_allowed(
    kubeflow: FakeKubeflow, package: Path, no_tools: Path
) -> None:
    # Never pushed, or of another registry: no digest that the cluster could ask for.
    tool(no_tools, "docker", [{"RepoDigests": [f"elsewhere/image@{DIGEST}"], "Config": {}}])
    arguments = ("--package", package, "--host", kubeflow.url)
    assert "no tool here knows the digest" in deploy(*arguments).stderr
    done = deploy(*arguments, "--allow-tag")
    assert done.exit_code == 0, done.output
    (version,) = kubeflow.versions.values()
    assert CompiledPipeline(version["spec"], {}).image == "tfx-production-training:latest"


def test_why_the_registry_gave_no_digest_is_told(package: Path, no_tools: Path) -> None:
    said = r'time="2026-11-22T12:00:00Z" level=fatal msg="reading \"v2\": authentication required"'
    (no_tools / "skopeo").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    done = deploy("--package", package, "--host", "http://x")
    assert done.exit_code == 2
    told = done.stderr.replace("\n", " ")
    assert '; skopeo says: reading "v2": authentication required' in told


@pytest.mark.parametrize("name", ["podman", "docker"])
def test_a_digest_that_no_registry_gave_is_not_used(
    package: Path, no_tools: Path, name: str
) -> None:
    """Podman names one from the build on, which is not what a push makes of it."""
    image = "tfx-production-training"
    tool(no_tools, name, [{"Digest": DIGEST, "RepoDigests": [f"{image}@{DIGEST}"], "Labels": {}}])
    done = deploy("--package", package, "--host", "http://x")
    assert done.exit_code == 2
    assert "no tool here knows the digest" in done.stderr
    assert "podman push --digestfile" in done.stderr.replace("\n", " ")


def test_a_package_is_what_was_compiled(package: Path, tmp_path: Path) -> None:
    read = read_package(package)
    assert read.config == taxi()
    assert read.to_yaml() == package.read_text()
    assert replace(read, spec=read.with_image("other").spec).image == "other"


def with_config(text: str, constant: object) -> bytes:
    spec, platform = yaml.safe_load_all(text)
    given = spec["root"]["dag"]["tasks"]["prepare"]["inputs"]["parameters"]["config"]
    given["runtimeValue"]["constant"] = constant
    return yaml.safe_dump_all([spec, platform]).encode()


def damaged(text: str) -> dict[str, bytes]:
    """Packages to which something happened, and one that never was any."""
    spec, separator, platform = text.partition("\n---\n")
    return {
        "no platform": spec.encode(),
        "an empty platform": f"{spec}{separator}{{}}\n".encode(),
        "half a platform": text[: -len(platform) // 2].rpartition("\n")[0].encode(),
        "another mount": text.replace("mountPath: /mnt", "mountPath: /tmp", 1).encode(),
        "another command": text.replace("- python\n", "- sh\n", 1).encode(),
        "no tasks": spec.replace("tasks:", "jobs:").encode() + b"\n---\n" + platform.encode(),
        "a damaged configuration": with_config(text, "zlib:abcd"),
        "a number for a configuration": with_config(text, 1),
        "deep": b"[" * 100_000,
        "not text": b"\xff\xfe",
        "empty": b"",
        "a list": b"[]\n---\n[]\n",
    }


def test_a_package_that_is_not_what_was_compiled_is_refused(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "damaged.yaml"
    for name, content in damaged(package.read_text()).items():
        assert content != package.read_bytes(), name
        file.write_bytes(content)
        done = deploy("--package", file, "--host", "http://x", "--image", IMAGE)
        assert done.exit_code == 2, (name, done.exception)
        assert f"--package {file}: " in done.stderr.replace("\n", " "), name
        assert "write it again with `compile`" in done.stderr.replace("\n", " "), name


def test_a_directory_is_no_package(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    done = deploy("--package", tmp_path / "folder.yaml", "--host", "http://x", "--image", IMAGE)
    assert (done.exit_code, "Is a directory" in done.stderr) == (2, True)
