"""`deploy` against a server that answers as Kubeflow Pipelines does."""

from __future__ import annotations

from pathlib import Path

import pytest
from deploy_command import CONFIGS, DIGEST, IMAGE, ROOT_URI, deploy, install_tool
from fake_kubeflow import FakeKubeflow

from pipeline.runners.kubeflow.client.package import read_package
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline

NO_TOKEN = ["--host", "https://x", "--token-file", "absent"]


def test_a_run_gets_the_uploaded_file_and_its_settings(
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
    kubeflow: FakeKubeflow, tools: Path, tfx_version: str
) -> None:
    name = "tfx-production-training"
    known = {
        "RepoDigests": [f"{name}@{DIGEST}"],
        "Config": {"Labels": {"tfx.version": tfx_version}},
    }
    install_tool(tools, "docker", [known])
    configs = [part for config in CONFIGS for part in ("--config", config)]
    done = deploy(*configs, "--set", "training.epochs=2", "--endpoint", kubeflow.url)
    assert done.exit_code == 0, done.output
    (version,) = kubeflow.versions.values()
    deployed = CompiledPipeline(version["spec"], version["platform"])
    assert deployed.image == f"{name}@{DIGEST}"
    assert deployed.config.training.epochs == 2
    assert kubeflow.runs[0]["display_name"].startswith("taxi 20")
    assert "Not checked" not in done.output
    assert "image inspect tfx-production-training:latest" in (tools / "asked").read_text()


def test_only_a_changed_file_is_uploaded_as_a_new_version(
    kubeflow: FakeKubeflow, package: Path
) -> None:
    arguments = ("--package", package, "--host", kubeflow.url)
    told = []
    for image in (IMAGE, IMAGE, IMAGE.replace("1f", "2f"), IMAGE.replace("1f", "2f")):
        done = deploy(*arguments, "--image", image)
        assert done.exit_code == 0, done.output
        told += [line.partition(" taxi, version ")[0] for line in done.output.splitlines()]
    words = [line for line in told if line.startswith(("Uploaded", "Found"))]
    assert words == ["Uploaded", "Found unchanged on the server:"] * 2
    assert len(kubeflow.pipelines) == 1
    used = [run["pipeline_version_reference"]["pipeline_version_id"] for run in kubeflow.runs]
    assert used[0] == used[1] != used[2] == used[3]
    names = [version["display_name"] for version in kubeflow.versions.values()]
    assert len(names) == 2
    assert f" taxi, version {names[-1]}" in done.output


def test_a_schedule_replaces_the_schedule_of_the_same_name(
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
    ("arguments", "message"),
    [
        (["--host", "http://x"], "needs --config, or --package"),
        (
            [
                "--config",
                str(CONFIGS[0]),
                "--config",
                str(CONFIGS[1].with_name("vertex.yaml")),
                "--host",
                "http://x",
            ],
            "compiled for Vertex AI",
        ),
        (["--package", "{package}"], "needs --host"),
        (["--package", "{package}", "--host", "kubeflow"], "has to begin with http"),
        (["--host", "http://x", "--service-account", "Me"], "--service-account: must be at most"),
        (["--host", "http://x", "--namespace", "a.b"], "--namespace: must be at most 63"),
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
        (
            ["--package", "{package}", "--host", "http://x", "--token-file", "absent"],
            "the token would travel to http://x unencrypted",
        ),
    ],
)
def test_wrong_usage_exits_with_2(package: Path, arguments: list[str], message: str) -> None:
    done = deploy(*(argument.format(package=package) for argument in arguments))
    assert done.exit_code == 2, done.output
    assert message in done.stderr.replace("\n", " ")
