"""The image that `make test-image` builds, under the strictest rules that a cluster may have.

Only /tmp and mounted directories are writable, the container has no capabilities, and the user of
the whole run has no name in the image.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
import requests
from support import SHOP_CONFIG, shop_table, write_csv
from tensorflow_serving.apis.get_model_status_pb2 import GetModelStatusRequest, ModelVersionStatus
from tensorflow_serving.apis.model_service_pb2_grpc import ModelServiceStub

ROOT = Path(__file__).parents[2]
IMAGE = os.environ.get("PIPELINE_IMAGE", "")
CONTAINERS = os.environ.get("CONTAINERS", "podman")
UNPRIVILEGED = ("--cap-drop=all", "--security-opt=no-new-privileges")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IMAGE, reason="`make test-image` builds the image that is tested here"),
]

# This program runs in a container and prints its findings as JSON for the tests.
LOOK = """
import hashlib, importlib.metadata as metadata, importlib.util as util
import json, os, pathlib, shutil, sys, sysconfig
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

packages = {canonicalize_name(d.name): d for d in metadata.distributions()}
def unmet():
    for name, package in packages.items():
        for line in package.requires or ():
            need = Requirement(line)
            if need.marker and not need.marker.evaluate({"extra": ""}):
                continue
            has = packages.get(canonicalize_name(need.name))
            if has is None or not need.specifier.contains(has.version, prereleases=True):
                yield f"{name} needs {line}"
def not_compiled(path):
    for directory, _, files in os.walk(path):
        for file in files:
            source = os.path.join(directory, file)
            if file.endswith(".py") and not trusted(util.cache_from_source(source)):
                yield source
def trusted(compiled):
    try:
        with open(compiled, "rb") as file:
            return file.read(8)[4:] == b"\\1\\0\\0\\0"  # By hash, unchecked.
    except FileNotFoundError:
        return False
def writable(*paths):
    return [path for path in paths if os.access(path, os.W_OK)]
def sources(*packages):
    for package in packages:
        for path in sorted(pathlib.Path(site, package).rglob("*.py")):
            yield str(path.relative_to(site)), hashlib.sha256(path.read_bytes()).hexdigest()
site = sysconfig.get_path("purelib")
tools = "cc gcc g++ c++ clang ld as make pip pip3 uv git curl wget".split()
print(json.dumps({
    "user": os.getuid(),
    "init": open("/proc/1/comm").read().strip(),
    "tools": [tool for tool in tools if shutil.which(tool)],
    "modules": [m for m in ("pip", "ensurepip", "pytest", "mypy", "uv") if util.find_spec(m)],
    "writable": writable("/", "/usr", "/etc", "/opt/venv", site, os.getcwd(), "/tmp"),
    "unmet": list(unmet()),
    "packages": {name: package.version for name, package in packages.items()},
    "sources": dict(sources("components", "pipeline", "serving", "trainer_module")),
    "not compiled": list(not_compiled(site)),
}))
"""

# Imports that need libraries of their own, among those that were stripped or lost files.
IMPORTS = """
import os
os.environ["TF_USE_LEGACY_KERAS"] = "1"
import tensorflow as tf
import tensorflow.python.profiler.profiler_v2
import tensorflow.lite.python.interpreter
import google.cloud.bigquery, h5py, keras_tuner, kfp, kubernetes, scipy.stats, sklearn.ensemble
import IPython, ipywidgets, pyarrow.dataset, pyarrow.flight, tensorboard.main, tf_keras
import tensorflow_data_validation, tensorflow_model_analysis, tensorflow_transform
import apache_beam.io.gcp.bigquery, apache_beam.runners.dataflow
import tfx.v1.extensions
from tfx.orchestration.kubeflow.v2 import kubeflow_v2_dag_runner
from tfx.orchestration.kubeflow.v2.container import kubeflow_v2_run_executor
print(tf.reduce_sum(tf.linalg.matmul(tf.ones((8, 8)), tf.ones((8, 8)))).numpy())
"""


def contained(
    *command: str, options: tuple[str, ...] = (), check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Runs a command in a container under the rules of a strict cluster."""
    process = subprocess.run(
        [
            CONTAINERS,
            "run",
            "--rm",
            "--read-only",
            "--tmpfs=/tmp",
            *UNPRIVILEGED,
            *options,
            IMAGE,
            *command,
        ],
        capture_output=True,
        text=True,
    )
    assert not check or process.returncode == 0, process.stdout + process.stderr
    return process


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    """Returns the image's configuration."""
    answer = subprocess.run(
        [CONTAINERS, "image", "inspect", IMAGE], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(answer.stdout)[0]["Config"]
    return found


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Returns what the program LOOK finds in a container."""
    answer: dict[str, Any] = json.loads(contained("python", "-c", LOOK).stdout)
    return answer


def test_labels_name_the_sources_of_the_image(
    config: dict[str, Any], found: dict[str, Any]
) -> None:
    labels = config["Labels"]
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert labels["org.opencontainers.image.title"] == "tfx-production-training"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert labels["org.opencontainers.image.version"] == version.group(1)
    assert labels["org.opencontainers.image.revision"].removesuffix("-dirty") == head
    assert labels["tfx.version"] == found["packages"]["tfx"]


def test_image_holds_the_code_of_this_checkout(found: dict[str, Any]) -> None:
    """Caches hold older builds of the same version, which must not be used."""
    sources = {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()
        for package in ("components", "pipeline", "serving", "trainer_module")
        for path in (ROOT / package).rglob("*.py")
    }
    assert found["sources"] == sources


def test_image_runs_unprivileged_and_writes_only_to_tmp(
    config: dict[str, Any], found: dict[str, Any]
) -> None:
    # The user has to be a number: Kubernetes' runAsNonRoot cannot look up names.
    assert config["User"] == "1000:1000"
    assert found["user"] == 1000
    assert found["writable"] == ["/tmp"]


def test_image_has_no_compiler_and_no_installer(found: dict[str, Any]) -> None:
    assert found["tools"] == []
    assert found["modules"] == []


def test_tini_is_the_first_process(found: dict[str, Any]) -> None:
    assert found["init"] == "tini"


def test_lightgbm_finds_the_libraries_that_its_wheel_does_not_contain() -> None:
    assert contained("python", "-c", "import lightgbm; print('loaded')").stdout == "loaded\n"


def test_packages_are_the_locked_ones_and_satisfy_each_other(found: dict[str, Any]) -> None:
    packages = dict(found["packages"])
    assert packages.pop("tfx-production-training")
    lock = (ROOT / f"requirements/{_stack()}-run.txt").read_text(encoding="utf-8")
    assert packages == dict(re.findall(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", lock, re.MULTILINE))
    assert found["unmet"] == []


def test_bill_of_materials_lists_all_packages(found: dict[str, Any]) -> None:
    text = contained("cat", "/usr/share/sbom/tfx-production-training.json").stdout
    bill = json.loads(text)
    listed = {component["name"].lower(): component["version"] for component in bill["components"]}
    root = bill["metadata"]["component"]
    assert root["name"] == "tfx-production-training"
    expected = {name: v for name, v in found["packages"].items() if name != root["name"]}
    assert {re.sub(r"[-_.]+", "-", name): version for name, version in listed.items()} == expected


def test_every_module_is_compiled(found: dict[str, Any]) -> None:
    """Otherwise each start would compile the modules again, because the directory is read-only."""
    assert found["not compiled"] == []


def test_no_library_needs_a_removed_file() -> None:
    assert contained("python", "-c", IMPORTS).stdout.splitlines()[-1] == "512.0"


def test_the_command_line_works() -> None:
    assert "validated, trained, evaluated and pushed model" in contained().stdout
    refused = contained("python", "-m", "pipeline", "run", "--config", "none.yaml", check=False)
    assert refused.returncode == 2


# The tests of this run belong to one process of xdist, so that it happens once.
WHOLE_RUN = pytest.mark.xdist_group("whole run")


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which a user without a name has run the pipeline."""
    directory = tmp_path_factory.mktemp("table")
    write_csv(directory / "shop.csv", shop_table())
    (directory / "my.yaml").write_text(SHOP_CONFIG + "# Where the image has nothing.\n")
    directory.chmod(0o777)
    answer = contained(
        *"python -m pipeline run --config my.yaml --set training.workers=2 --output out".split(),
        *("--json", "summary.json"),
        options=in_directory(directory),
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return directory


def in_directory(directory: Path) -> tuple[str, ...]:
    return (f"--volume={directory}:/table", "--workdir=/table", "--user=54321:0")


@WHOLE_RUN
def test_a_whole_run_with_two_workers_by_a_user_without_a_name(whole_run: Path) -> None:
    summary = json.loads((whole_run / "summary.json").read_text(encoding="utf-8"))
    assert {c["state"] for c in summary["components"]} == {"complete"}, summary
    [pushed] = (whole_run / "out/serving").glob("*/saved_model.pb")
    # In a container, because rootless engines give the user another number outside.
    path = str(pushed.relative_to(whole_run))
    owner = contained("stat", "-c", "%u", path, options=in_directory(whole_run))
    assert owner.stdout == "54321\n"


@WHOLE_RUN
def test_the_image_serves_a_mounted_directory_until_sigterm(whole_run: Path) -> None:
    """The read-only mount is all that the server needs besides /tmp."""
    name = f"serve-{os.getpid()}"
    volume = f"--volume={whole_run}/out/serving:/models/shop:ro"
    # The network of this machine, as both engines have it: `--publish` needs a bridge.
    options = ("--read-only", "--tmpfs=/tmp", "--network=host", f"--name={name}", volume)
    command = [CONTAINERS, "run", "--rm", *UNPRIVILEGED, *options, IMAGE]
    server = subprocess.Popen(
        [*command, *"serve --model /models/shop --port 0 --grpc-port 0 --workers 2".split()],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"at http://0\.0\.0\.0:(\d+)", server.stdout.readline())
        assert found, "the server listens on all addresses"
        with requests.Session() as session:
            session.trust_env = False
            url = f"http://127.0.0.1:{found[1]}"
            document = session.get(f"{url}/openapi.json", timeout=60).json()
            (path,) = (path for path in document["paths"] if path.endswith(":predict"))
            assert path == "/v1/models/shop:predict"
            content = document["paths"][path]["post"]["requestBody"]["content"]
            example = content["application/json"]["example"]
            answer = session.post(url + path, json=example, timeout=60)
            assert answer.status_code == 200, answer.text
            assert len(answer.json()["predictions"]) == 1
            # The processes count in files that they share in /tmp.
            counted = 'model_server_requests_total{code="200",endpoint="predict"} 1.0'
            assert counted in session.get(f"{url}/metrics", timeout=60).text
        found = re.search(r"gRPC: 0\.0\.0\.0:(\d+)", server.stdout.readline())
        assert found
        with grpc.insecure_channel(f"127.0.0.1:{found[1]}") as channel:
            request = GetModelStatusRequest(model_spec={"name": "shop"})
            status = ModelServiceStub(channel).GetModelStatus(request, timeout=60)
            assert [s.state for s in status.model_version_status] == [ModelVersionStatus.AVAILABLE]
    finally:
        stop = [CONTAINERS, "stop", "--time=40", name]
        subprocess.run(stop, stdout=subprocess.DEVNULL, check=False)
    assert server.wait(60) == 0, "the server ended by itself, since tini passes SIGTERM on"


def test_a_compiled_pipeline_runs_in_the_image_task_by_task(tmp_path: Path) -> None:
    """Each task is a container, as on Kubeflow. The data are the example in the image.

    The image's user is not the user of this test.
    """
    compiled, storage = tmp_path / "compiled", tmp_path / "volumes/pipeline"
    compiled.mkdir()
    compiled.chmod(0o777)
    # The image's own TFX compiles the pipeline.
    contained(
        *"python -m pipeline compile --config configs/penguins.yaml".split(),
        *"--config configs/overlays/kubeflow.yaml --output /compiled/pipeline.yaml".split(),
        options=(f"--volume={compiled}:/compiled",),
    )
    outcomes = tmp_path / "outcomes.json"
    executor = subprocess.run(
        [
            *(sys.executable, "-m", "pipeline.runners.kfp_local", str(compiled / "pipeline.yaml")),
            *(f"--directory={tmp_path}", f"--image={IMAGE}", f"--json={outcomes}"),
            f"--engine={CONTAINERS} run --rm {' '.join(UNPRIVILEGED)}",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert executor.returncode == 0, executor.stdout + executor.stderr
    tasks = json.loads(outcomes.read_text(encoding="utf-8"))
    assert {task["state"] for task in tasks.values()} == {"ran"}, executor.stdout
    assert list((storage / "penguins/serving").glob("*/saved_model.pb")), executor.stdout
    assert list((tmp_path / "staging").iterdir()) == [], executor.stderr


def _stack() -> str:
    answer = contained("python", "-c", "import sys; print('py%d%d' % sys.version_info[:2])")
    return answer.stdout.strip()
