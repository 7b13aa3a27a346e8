"""The commands of the cluster's Java processes."""

from __future__ import annotations

from deploy.flink.local.networks import Network
from deploy.flink.local.places import HERE, JARS, LOGS, TEMPORARY

_HOST = "127.0.0.1"
PAGE_PORT = 8081
JOB_PORT = 8099
_ARTIFACT_PORT = 8098
PORTS = (PAGE_PORT, JOB_PORT, _ARTIFACT_PORT)
"""The ports of this machine that the cluster takes."""


def jobmanager_command(network: Network) -> list[str]:
    """Returns the command of the JobManager."""
    address = network.jobmanager
    return [
        # It looks for its own server of files at localhost, whatever address that server has.
        *_java("512m", *network.java_flags(address)),
        "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
        *("--configDir", str(HERE / "conf"), "--host", address),
        # Whoever reaches the JobManager can run code. Pods reach it, other machines must not.
        *_settings({"jobmanager.rpc.address": address, "jobmanager.bind-host": address}),
        *_settings({"rest.address": _HOST, "rest.bind-address": _HOST}),
        *_settings({"web.tmpdir": str(TEMPORARY), "web.log.path": str(LOGS / "jobmanager.log")}),
        *_temporary("jobmanager"),
    ]


def taskmanager_command(network: Network, pod: int) -> list[str]:
    """Returns the command of the TaskManager of a pod."""
    address = network.taskmanager(pod)
    settings = {
        "jobmanager.rpc.address": network.jobmanager,
        "taskmanager.host": address,
        "taskmanager.bind-host": address,
    }
    return [
        # The heap and the direct memory that conf/config.yaml divides.
        *_java("2432m", "-XX:MaxDirectMemorySize=768m", *network.java_flags(network.pool(pod))),
        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
        *("--configDir", str(HERE / "conf")),
        *_settings(settings),
        *_temporary(f"taskmanager-{pod}"),
    ]


def job_server_command() -> list[str]:
    """Returns the command of Beam's job server, which takes pipelines and makes Flink's jobs."""
    return [
        *_java("512m"),
        "org.apache.beam.runners.flink.FlinkJobServerDriver",
        *("--flink-master", f"{_HOST}:{PAGE_PORT}"),
        *("--flink-conf-dir", str(HERE / "conf")),
        *("--job-host", "localhost", "--job-port", str(JOB_PORT)),
        *("--artifact-port", str(_ARTIFACT_PORT), "--expansion-port", "0"),
        *("--artifacts-dir", str(TEMPORARY / "staged")),
    ]


def _java(heap: str, *flags: str) -> list[str]:
    class_path = ["-cp", f"{JARS}/*"]
    return [
        "java",
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        f"@{HERE / 'java.args'}",
        *flags,
        *class_path,
    ]


def _temporary(name: str) -> list[str]:
    directory = str(TEMPORARY / name)
    return _settings({"io.tmp.dirs": directory, "blob.storage.directory": directory})


def _settings(values: dict[str, str]) -> list[str]:
    return [f"-D{key}={value}" for key, value in values.items()]
