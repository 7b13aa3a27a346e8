"""`make serve SERVER=tensorflow`: which program starts it, and with which arguments.

docker and podman are stand-ins that print their arguments, since the image is not on this machine.
What TensorFlow Serving makes of the arguments was not tried.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRINT_ARGUMENTS = 'printf "%s\\n" "$@"'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A PATH with nothing but what the script itself needs."""
    directory = tmp_path / "programs"
    directory.mkdir()
    (directory / "sh").symlink_to("/bin/sh")
    return directory


@pytest.fixture
def serving(tmp_path: Path) -> Path:
    for version in ("9", "10", ".staged-11"):
        directory = tmp_path / "my taxi" / "serving" / version
        directory.mkdir(parents=True)
        (directory / "saved_model.pb").touch()
    return tmp_path / "my taxi" / "serving"


def install(programs: Path, name: str, script: str = PRINT_ARGUMENTS) -> None:
    (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (programs / name).chmod(0o755)


def start(
    programs: Path, *arguments: str | Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", ROOT / "scripts/serve_tensorflow.sh", *arguments],
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
    )


def test_the_directory_is_mounted_read_only_under_the_name_of_the_pipeline(
    programs: Path, serving: Path
) -> None:
    install(programs, "docker")
    answer = start(programs, serving, "--enable_batching", PORT="9000")
    assert answer.returncode == 0, answer.stderr
    address = "http://127.0.0.1:9000/v1/models/my taxi, gRPC at port 8500"
    words, *arguments = answer.stdout.splitlines()
    assert words == f"TensorFlow Serving with docker: {address}"
    assert arguments[0] == "run"
    assert f"{serving}:/models/my taxi:ro" in arguments
    # Only this machine reaches the ports.
    assert {"127.0.0.1:9000:8501", "127.0.0.1:8500:8500"} < set(arguments)
    image = arguments.index("tensorflow/serving:2.19.1")
    assert arguments[image + 1 :] == [
        "--port=8500",
        "--rest_api_port=8501",
        "--model_name=my taxi",
        "--model_base_path=/models/my taxi",
        "--file_system_poll_wait_seconds=1",
        "--enable_batching",
    ]


def test_the_version_that_a_rollback_names_is_served(programs: Path, serving: Path) -> None:
    install(programs, "docker")
    (serving / "models.config").touch()
    answer = start(programs, serving)
    assert answer.stdout.splitlines()[-2:] == [
        "--model_config_file=/models/my taxi/models.config",
        "--model_config_file_poll_wait_seconds=1",
    ]
    assert "--model_base_path" not in answer.stdout


def test_docker_without_a_daemon_is_skipped(programs: Path, serving: Path) -> None:
    install(programs, "docker", "exit 1")
    install(programs, "podman")
    answer = start(programs, serving)
    assert answer.stdout.startswith("TensorFlow Serving with podman: ")


def test_a_machine_without_containers_is_told_what_to_do(programs: Path, serving: Path) -> None:
    answer = start(programs, serving)
    assert answer.returncode == 2
    assert "no working docker or podman found" in answer.stderr
    assert "make serve" in answer.stderr


def test_a_directory_without_a_version_is_refused(programs: Path, tmp_path: Path) -> None:
    install(programs, "docker")
    (tmp_path / "7").mkdir()
    for directory, words in (
        (tmp_path, "no model is served here"),
        ("absent", "no such directory"),
    ):
        answer = start(programs, directory)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert words in answer.stderr


def test_another_server_than_tensorflow_is_refused_by_make() -> None:
    command = ["make", "--no-print-directory", "-o", "setup", "serve", "SERVER=flask"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 2
    assert "SERVER=flask: give tensorflow, or leave SERVER out" in answer.stderr
